#include "views/study/study_field.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "study/scaling.h"
#include "units/text.h"

namespace nest {
namespace {

QString countText(long long n) {
  return QString::fromStdString(text::count(n));
}

std::vector<StudyStep> deviceSteps(const Problem& problem, bool fine) {
  const int here = problem.cluster->deviceCount();
  int most = fine ? 64 : here;
  while (most < here * (fine ? 16 : 4) && most < 16384) most *= 2;
  int least = 1;
  while (least < std::min(fine ? 64 : std::max(1, here / 8), std::max(8, here / (fine ? 16 : 8)))) least *= 2;
  std::vector<int> counts = powersOfTwo(least, most);
  if (std::find(counts.begin(), counts.end(), here) == counts.end()) counts.push_back(here);
  std::sort(counts.begin(), counts.end());
  std::vector<StudyStep> out;
  for (int n : counts)
    out.push_back({static_cast<double>(n), countText(n), withDeviceCount(problem, n), n == here, {}});
  return out;
}

std::vector<StudyStep> batchSteps(const Problem& problem, bool fine) {
  std::vector<StudyStep> out;
  const int reach = fine ? 4 : 3;
  for (int shift = -reach; shift <= reach; ++shift) {
    const double b = problem.job.globalBatch * std::pow(2.0, shift);
    if (b < 1 || b != std::floor(b) || b >= 1e6) continue;
    Problem p = problem;
    p.job.globalBatch = static_cast<int>(b);
    out.push_back({b, countText(static_cast<int>(b)), std::move(p), shift == 0, {}});
  }
  return out;
}

std::vector<StudyStep> leverSteps(const Problem& problem, const Lever& lever, bool fine,
                                  const std::vector<NetworkLevel>& typed) {
  std::vector<StudyStep> out;
  const int reach = fine ? 8 : 3;
  for (int i = -reach; i <= reach; ++i) {
    const double factor = std::pow(2.0, fine ? i / 2.0 : i);
    out.push_back({factor, QString::fromStdString(valueText(problem, lever, factor, typed)),
                   pulled(problem, lever, factor, typed), i == 0, pulledLevels(typed, lever, factor)});
  }
  return out;
}

}  // namespace

QString StudyField::name(const Problem& problem) const {
  switch (kind) {
    case Kind::Devices:
      return QCoreApplication::translate("StudyField", "devices");
    case Kind::Batch:
      return QCoreApplication::translate("StudyField", "global batch");
    case Kind::Lever:
      break;
  }
  return QString::fromStdString(nameOf(problem, lever));
}

std::vector<StudyStep> StudyField::steps(const Problem& problem, bool fine,
                                         const std::vector<NetworkLevel>& typed) const {
  if (kind == Kind::Lever) return leverSteps(problem, lever, fine, typed);
  auto out = kind == Kind::Devices ? deviceSteps(problem, fine) : batchSteps(problem, fine);
  for (StudyStep& s : out) s.typed = typed;
  return out;
}

std::vector<StudyField> studyFields(const Problem& problem) {
  std::vector<StudyField> out{{StudyField::Kind::Devices, {}}, {StudyField::Kind::Batch, {}}};
  for (const Lever& l : leversOf(problem))
    if (l.kind != Lever::Kind::Devices) out.push_back({StudyField::Kind::Lever, l});
  return out;
}

}  // namespace nest
