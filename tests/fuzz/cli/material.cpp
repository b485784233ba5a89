#include "material.h"

#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace nest::fuzz {

const std::vector<std::string>& words() {
  static const std::vector<std::string> all = {
      // clang-format off
      "0", "1", "2", "3", "4", "8", "16", "64", "1000", "-1", "-0", "0.5", "1e3", "1e308", "1e400", "nan",
      "inf", "99999999999999999999", "2147483648", "", " ", "x", "true", "null", "é", "\xff\xfe", "a=b",
      "=", ",", "t=2", "t=2,p=2", "t=0", "p>=2", "d<=4", "devices=2", "cut at layer 2",
      "layer 3 in stage 2", "recompute full", "no cut at layer 99", "layer 0 in stage 0", "batch",
      "memory", "stage1/load", "stage9/load", "1s", "12.3s", "900ms", "2us", "0s", "-5s", "1h", "80 GiB",
      "450GB/s", "25 GB/s,50 GB/s", "1=50GB/s,2us", "0=0GB/s", "9=1GB/s", "job.global_batch=8,16",
      "job.global_batch=1..4+1", "job.global_batch=4..64x2", "constraints.tensor=1,2",
      "assumptions.overlap.data=0,0.5,2", "cluster.levels.1.bandwidth=25 GB/s", "nothing.at.all=1",
      "job=1", "h100-sxm", "a100-80", "no-such-device", "host:2@450GB/s rack:2@50GB/s,2us", "host:0@1GB/s",
      "host:8", "gpu[0-1]=x", "1/2", "2/1", "0/0", "megatron", "deepspeed", "torchtitan", "nanotron",
      "hostfile", "rankfile", "slurm-hostfile", "chrome-trace", "plan", "scenario", "cluster-text",
      "graphml", "dot", "astra-sim", "Manual", "MCMC", "paper", "scaling", "validation", "piper",
      // clang-format on
  };
  return all;
}

const std::map<std::string, std::vector<std::string>>& usual() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"--json", {""}},
      {"--free", {""}},
      {"--front", {""}},
      {"--devices", {"", "4"}},
      {"--break-even", {""}},
      {"--failures", {""}},
      {"--restart", {""}},
      {"--merge", {""}},
      {"--per-stage", {""}},
      {"--help", {""}},
      {"--write-manual", {"out/manual"}},
      {"--deadline", {"0.2", "0"}},
      {"--threads", {"1", "2"}},
      {"--seed", {"3"}},
      {"--walks", {"2"}},
      {"--steps", {"20"}},
      {"--seconds", {"1"}},
      {"--only", {"Manual", "MCMC"}},
      {"--manual", {"t=2,p=2", "d=4,z=1"}},
      {"--time", {"5s", "900ms"}},
      {"--most", {"16"}},
      {"--by", {"25", "50"}},
      {"--depth", {"0", "2", "9"}},
      {"--term", {"batch", "stage1/load", "memory"}},
      {"--as",
       {"megatron", "deepspeed", "torchtitan", "nanotron", "hostfile", "slurm-hostfile", "rankfile",
        "chrome-trace", "plan", "scenario", "cluster-text", "graphml", "dot", "astra-sim"}},
      {"--set",
       {"job.global_batch=8,16", "job.global_batch=4..64x2", "assumptions.overlap.data=0,0.5",
        "constraints.tensor=1,2"}},
      {"--device", {"h100-sxm", "a100-80"}},
      {"--level", {"1=50GB/s,2us", "0=450GB/s"}},
      {"--batch", {"64"}},
      {"--sequence", {"2048"}},
      {"--network", {"host:2@450GB/s rack:2@50GB/s,2us"}},
      {"--hosts", {"gpu[0-1]=in/case0.xml"}},
      {"--from", {"4"}},
      {"--to", {"16"}},
      {"--shard", {"1/2", "2/2"}},
      {"--measured", {"12.3s"}},
  };
  return all;
}

std::string damagedText(Dice& dice, std::string text, const std::string& other) {
  const auto place = [&] { return static_cast<std::size_t>(dice.below(text.size() + 1)); };
  for (int n = 1 + dice.below(4); n > 0; --n) {
    const std::size_t at = place(), length = static_cast<std::size_t>(dice.below(40));
    switch (dice.below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, dice.of(words()));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(dice.below(256));
        break;
      case 3:
        text.insert(at, text.substr(place(), length));
        break;
      case 4:
        text.insert(at, other.substr(static_cast<std::size_t>(dice.below(other.size() + 1)), length));
        break;
      default:
        if (dice.chance(0.2)) text.resize(at);
        break;
    }
  }
  return text;
}

static json anyValue(Dice& dice) {
  static const std::vector<json> all = {0,
                                        1,
                                        2,
                                        3,
                                        7,
                                        -1,
                                        0.5,
                                        1e-300,
                                        1e300,
                                        1e18,
                                        "text",
                                        "",
                                        "8",
                                        "1 GB/s",
                                        nullptr,
                                        true,
                                        false,
                                        json::array(),
                                        json::object(),
                                        4096,
                                        65536,
                                        2147483647,
                                        4294967296LL,
                                        "80 GiB",
                                        "2 us"};
  return dice.of(all);
}

std::string damagedJson(Dice& dice, const std::string& text) {
  json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) return damagedText(dice, text, text);
  for (int n = 1 + dice.below(2); n > 0; --n) {
    std::vector<json*> inner;
    const std::function<void(json&)> walk = [&](json& j) {
      if (!j.is_structured() || j.empty()) return;
      inner.push_back(&j);
      for (json& child : j) walk(child);
    };
    walk(whole);
    if (inner.empty()) break;
    json& j = *dice.of(inner);
    auto it = j.begin();
    std::advance(it, dice.below(j.size()));
    switch (dice.below(12)) {
      case 0:
        j.erase(it);
        break;
      case 1:
        if (j.is_object())
          j[dice.of(words()).substr(0, 1) + "x"] = anyValue(dice);
        else
          j.push_back(json(*it));
        break;
      case 2:
        if (it->is_number()) *it = it->get<double>() * (dice.chance(0.5) ? 2 : 0.5);
        break;
      case 3:
        if (it->is_number_integer()) *it = it->get<long long>() + (dice.chance(0.5) ? 1 : -1);
        break;
      case 4:
        *it = *dice.of(inner);
        break;
      case 5:
        *it = anyValue(dice);
        break;
      default:  // still of its kind
        if (it->is_number_integer())
          *it = dice.of(std::vector<long long>{1, 2, 3, 4, 6, 8, 16, 128, 1000, 65536});
        else if (it->is_number())
          *it = dice.of(std::vector<double>{0.1, 0.25, 0.9, 1, 1e-6, 1e3, 1e9, 1e12});
        else if (it->is_boolean())
          *it = !it->get<bool>();
        break;
    }
  }
  try {
    return whole.dump(dice.chance(0.5) ? 1 : -1);
  } catch (const json::exception&) {  // a key that is no UTF-8
    return text;
  }
}

}  // namespace nest::fuzz
