#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scenario/saved_slide.h"
#include "study/purchase_flips.h"

namespace nest {

/// What a cell of a purchase is read for.
enum class PurchaseQuantity { Days, Money, Energy, Mfu };
inline constexpr int kPurchaseQuantityCount = 4;
const char* nameOf(PurchaseQuantity);  ///< in files: "days", "money", "energy", "mfu"
std::optional<PurchaseQuantity> purchaseQuantityNamed(std::string_view);
/// What decides while this is shown: MFU decides nothing, days do.
PurchaseMeasure measureFor(PurchaseQuantity);

/// Offers and jobs of a purchase as a figure shows them: without the plans, so that a slide can keep it.
struct PurchaseBoard {
  enum class Mark { None, Best, TooClose };
  struct Cell {
    bool isSolved = false;
    std::array<std::optional<double>, kPurchaseQuantityCount> values;  ///< days, money, kWh, share
    Mark mark = Mark::None;
    int devices = 0;      ///< of the offer
    std::string plan;     ///< in one line
    std::string problem;  ///< why there is no plan, or what a value lacks
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  PurchaseMeasure measure = PurchaseMeasure::Days;  ///< by which the marks are set
  std::vector<std::string> clusters, jobs;
  std::vector<Cell> cells;         ///< job by job
  std::vector<std::string> lines;  ///< what each job says about the offers, then where a choice flips

  bool empty() const { return cells.empty(); }
  const Cell& cell(int job, int cluster) const {
    return cells[static_cast<std::size_t>(job) * clusters.size() + static_cast<std::size_t>(cluster)];
  }
  int solved() const;
  bool isClose(int job) const;  ///< another offer is too close to the best of the job
  friend bool operator==(const PurchaseBoard&, const PurchaseBoard&) = default;
};

PurchaseBoard boardOf(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseFlips& = {});

/// "1.2 y", "12.3 M", "310 MWh", "41 %"; "–" without a value.
std::string valueText(const PurchaseBoard::Cell&, PurchaseQuantity);

/// A row of the table for each cell, then one for each line; boardIn() takes it back, and passes over what it
/// does not know.
SavedTable tableOf(const PurchaseBoard&);
PurchaseBoard boardIn(const SavedTable&);

}  // namespace nest
