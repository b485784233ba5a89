#include "formats/launch/launch_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "diagnostics/field_change.h"
#include "formats/launch/launch_hosts.h"
#include "text/printable.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {
namespace {

/// "rank host device", a line for each rank.
std::string rankTable(const RankMap& map) {
  std::string text;
  for (std::size_t r = 0; r < map.hostOf.size(); ++r)
    text += fmt::format("{} {} {}\n", r, map.hosts[map.hostOf[r]].name, map.deviceOf[r]);
  return text;
}

std::string hostTable(const RankMap& map) {
  std::string text;
  for (const HostRanks& h : map.hosts) text += fmt::format("{} {}\n", h.name, h.ranks.size());
  return text;
}

/// Names a process by the launcher that started it, in the words that PyTorch reads.
std::string rankScript(const RankMap& map) {
  return fmt::format(R"sh(#!/bin/sh
# Gives a process its rank in the variables of torch.distributed, then runs the command that follows.
if [ -n "$SLURM_PROCID" ]; then
  RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID
elif [ -n "$OMPI_COMM_WORLD_RANK" ]; then
  RANK=$OMPI_COMM_WORLD_RANK LOCAL_RANK=$OMPI_COMM_WORLD_LOCAL_RANK
fi
export RANK LOCAL_RANK WORLD_SIZE={}
export MASTER_ADDR="${{MASTER_ADDR:-{}}}" MASTER_PORT="${{MASTER_PORT:-29500}}"
exec "$@"
)sh",
                     map.hostOf.size(), map.hosts.front().name);
}

/// The command line of torchrun, which is started once on every host.
std::string torchrunBranch(const RankMap& map) {
  const bool consecutive =
      std::all_of(map.hosts.begin(), map.hosts.end(), [](const HostRanks& h) { return h.isConsecutive(); });
  if (!consecutive)
    return "  echo \"the ranks of a host do not follow each other, which torchrun cannot place: use srun or "
           "mpirun\" >&2\n  exit 1 ;;\n";
  return fmt::format(R"sh(  # Once on every host. The hosts are numbered as in hosts.txt.
  node=$(awk -v a="$(hostname)" -v b="$(hostname -s)" '$1 == a || $1 == b {{print NR - 1, $2}}' hosts.txt)
  [ -n "$node" ] || {{ echo "the plan does not use host $(hostname)" >&2; exit 1; }}
  exec ./visible-devices.sh torchrun --nnodes {} --node-rank "${{node% *}}" --nproc-per-node "${{node#* }}" \
    --master-addr "${{MASTER_ADDR:-{}}}" --master-port "${{MASTER_PORT:-29500}}" "${{train[@]}}" "${{arguments[@]}}" "$@" ;;
)sh",
                     map.hosts.size(), map.hosts.front().name);
}

std::string runScript(const LaunchTarget& target, const RankMap& map, const Plan& plan,
                      const PlanMetrics& m) {
  const LaunchProgram& program = *target.program;
  const std::size_t ranks = map.hostOf.size();
  return fmt::format(R"sh(#!/bin/bash
# {}: {} ranks on {} hosts; predicted step time {}.
#   LAUNCHER=srun|mpirun|torchrun (default srun), TRAIN=program of {} (default {}); arguments are passed on to it.
#   CHECK=1 only shows where the ranks run.
set -e
# A program named by a path is looked for where this script is called, then next to this script.
read -ra train <<< "${{TRAIN:-{}}}"
if [ -n "$TRAIN" ] && [[ ${{train[0]}} != [/-]* ]] && [ -e "${{train[0]}}" ]; then train[0]=$PWD/${{train[0]}}; fi
cd "$(dirname "$0")"
{}arguments=({})
command=(./visible-devices.sh ./rank.sh python3 "${{train[@]}}" "${{arguments[@]}}" "$@")
if [ -n "$CHECK" ]; then command=(./rank.sh sh -c 'echo "$RANK $(hostname) $LOCAL_RANK"'); fi
case "${{LAUNCHER:-srun}}" in
srun)
  export SLURM_HOSTFILE="$PWD/slurm-hostfile"
  exec srun --ntasks={} --distribution=arbitrary "${{command[@]}}" ;;
mpirun)
  # One host per rank; processes are not bound, so that data loaders may use all cores.
  if mpirun --version | grep -q ' [1-4]\.'; then by=(--map-by seq --hostfile slurm-hostfile)
  else by=(--map-by seq:file=slurm-hostfile); fi
  exec mpirun -np {} "${{by[@]}}" --bind-to none \
    ${{CUDA_DEVICE_MAX_CONNECTIONS:+-x CUDA_DEVICE_MAX_CONNECTIONS}} "${{command[@]}}" ;;
torchrun)
{}*)
  echo "LAUNCHER is srun, mpirun or torchrun" >&2
  exit 1 ;;
esac
)sh",
                     summaryOf(plan), ranks, map.hosts.size(), words::withError(m.batchTime, m.error),
                     program.name, program.train, program.train,
                     target.file.ends_with(".sh") ? fmt::format("source ./{}\n", target.file) : "",
                     program.arguments, ranks, ranks, torchrunBranch(map));
}

std::string checkScript(const RankMap& map) {
  return fmt::format(R"sh(#!/bin/bash
# Compares where ranks run with the plan: {} ranks, each on its host. Reads lines "RANK HOST LOCAL_RANK" from a file, or
# starts all ranks to print them (LAUNCHER as in run.sh).
set -e
if [ $# -gt 0 ]; then seen=$(cat "$1"); fi
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then seen=$(CHECK=1 ./run.sh); fi
echo "$seen" | awk '
  NR == FNR {{host[$1] = $2; size++; next}}
  NF >= 2 {{
    count++
    split($2, name, ".")
    split(host[$1], planned, ".")
    if (!($1 in host)) {{print "rank " $1 " is not of the plan"; bad++}}
    else if ($2 != host[$1] && name[1] != planned[1]) {{print "rank " $1 " runs on " $2 ", planned on " host[$1]; bad++}}
  }}
  END {{
    if (count != size) {{print count + 0 " ranks run, " size " are planned"; bad++}}
    if (bad) exit 1
    print "all " size " ranks run on the hosts of the plan"
  }}' ranks.txt -
)sh",
                     map.hostOf.size());
}

std::string stopwatch(const LaunchProgram& program, const ReportSource& source, const Plan& plan,
                      const PlanMetrics& m) {
  const Job& job = source.problem->job;
  // torchtitan counts the tokens of a replica for each of its devices.
  const double tokens =
      double(source.problem->batchOf(plan.globalBatch)) * job.sequenceLength / plan.devicesUsed();
  return fmt::format(R"sh(#!/bin/sh
# Compares the median step of a log of {} with the predicted {}: ./stopwatch.sh LOG
sed -n '{}' "$1" | awk -v unit={} -v tokens={} '
  {{gsub(",", ""); k = sub("K", "") ? 1000 : 1; print (unit > 0 ? $1 * k * unit : tokens / ($1 * k))}}
' | sort -n | awk -v predicted={} '
  {{step[NR] = $1}}
  END {{
    if (NR == 0) {{print "the log names no step times"; exit 1}}
    median = NR % 2 ? step[(NR + 1) / 2] : (step[NR / 2] + step[NR / 2 + 1]) / 2
    off = 100 * (predicted / median - 1)
    printf "measured %.4g s (median of %d steps), predicted %.4g s: the prediction is %.1f %% too %s\n",
           median, NR, predicted, off < 0 ? -off : off, off < 0 ? "short" : "long"
  }}'
)sh",
                     program.name, words::withError(m.batchTime, m.error), program.stepPattern,
                     text::exact(program.stepUnit), text::exact(tokens), text::exact(m.batchTime.value()));
}

/// Text of others as one line of Markdown that shows it as it is.
std::string markdown(std::string_view text) {
  constexpr std::string_view kMeans = "\\`*[]<>&~|";
  const auto isWord = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // '_' within a word is a letter.
    const bool means = text[i] == '_' ? i == 0 || !isWord(i - 1) || !isWord(i + 1)
                                      : kMeans.find(text[i]) != std::string_view::npos;
    if (means) out += '\\';
    out += text[i];
  }
  return out;
}

/// Without what hides in it or begins a new line.
std::string shown(std::string_view text) {
  return markdown(printable(text, false));
}

std::string readme(const LaunchProgram& program, const ReportSource& source, const Plan& plan,
                   const RankMap& map, const PlanMetrics& m, const Diagnostics& said) {
  const Assumptions& a = source.problem->assumptions;
  std::string t = fmt::format(
      "# {}\n\n{} on {} hosts, {} ranks, with {}. Predicted step time: {} ({}).\n\n"
      "    LAUNCHER=srun ./check.sh      # do the ranks run where the plan has them?\n"
      "    LAUNCHER=srun ./run.sh        # start; or mpirun, or torchrun once on every host\n"
      "    sbatch job.sbatch             # or ask Slurm for exactly these hosts\n"
      "    ./stopwatch.sh train.log      # measured step against the predicted one\n\n"
      "## What was assumed\n\n",
      shown(source.scenario), summaryOf(plan), text::count(std::ssize(map.hosts)),
      text::count(std::ssize(map.hostOf)), program.name, words::withError(m.batchTime, m.error),
      words::programWith(m.program, m.error));
  const std::string headroom =
      a.headroom > 0 ? " and " + text::percent(a.headroom) + " of its memory" : std::string();
  t += fmt::format("- {}{} kept free on each device; collectives sustain {} of the levels' bandwidths\n",
                   text::memory(a.reserve), headroom, text::percent(a.linkEfficiency));
  for (int e = 0; e < kExchangeCount; ++e)
    if (a.overlap[e] > 0)
      t += fmt::format("- {} of {} communication overlaps with compute\n", text::percent(a.overlap[e]),
                       nameOf(static_cast<Exchange>(e)));
  if (a.syncOverlap > 0)
    t += fmt::format("- {} of the gradient reduction overlaps with the last backward pass\n",
                     text::percent(a.syncOverlap));
  t += fmt::format("- layer times: {}\n", shown(source.problem->profile->provenance));
  if (!said.empty()) t += "\n## What these files leave to you\n\n";
  for (const Diagnostic& d : said)
    t += "- " + shown(d.message + (d.remedy.empty() ? "" : ": " + adviceText(d.remedy))) + '\n';
  return t;
}

}  // namespace

Reading<std::vector<LaunchFile>> writeLaunchFolder(const LaunchTarget& target, const ReportSource& source,
                                                   const Plan& plan) {
  Reading<std::vector<LaunchFile>> result;
  auto configuration = writeLaunch(target, source, plan);
  auto map = mapRanks(source, plan);
  result.diagnostics = std::move(configuration.diagnostics);
  // The scripts place ranks and choose devices themselves.
  std::erase_if(result.diagnostics, [&](const Diagnostic& d) {
    return d.code == "placement" || d.code == "visible-devices" || d.code.starts_with("host-name");
  });
  result.diagnostics.insert(result.diagnostics.end(), map.diagnostics.begin(), map.diagnostics.end());
  if (!configuration || !map || hasErrors(result.diagnostics)) return result;
  const Diagnostics invented = inventedHosts(source, *map);
  result.diagnostics.insert(result.diagnostics.end(), invented.begin(), invented.end());
  const PlanMetrics m =
      metricsOf(*source.problem, source.architecture, plan, evaluate(*source.problem, plan));
  std::vector<LaunchFile> files = {
      {"README.md", readme(*target.program, source, plan, *map, m, result.diagnostics)},
      {std::string(target.file), std::move(*configuration)},
      {"run.sh", runScript(target, *map, plan, m), true},
      {"rank.sh", rankScript(*map), true},
      {"visible-devices.sh", visibleDevicesScript(*map), true},
      {"check.sh", checkScript(*map), true},
      {"stopwatch.sh", stopwatch(*target.program, source, plan, m), true},
      {"ranks.txt", rankTable(*map)},
      {"hosts.txt", hostTable(*map)},
      {"slurm-hostfile", slurmHostFile(*map)}};
  if (auto batch = writeLaunch(*findLaunchTarget("sbatch"), source, plan))
    files.push_back({"job.sbatch", std::move(*batch)});
  if (auto hosts = hostFile(*map)) files.push_back({"hostfile", std::move(*hosts)});
  result.value = std::move(files);
  return result;
}

std::vector<std::string> launchFileNames() {
  std::vector<std::string> all = {"README.md",      "run.sh",       "rank.sh",   "visible-devices.sh",
                                  "check.sh",       "stopwatch.sh", "ranks.txt", "hosts.txt",
                                  "slurm-hostfile", "job.sbatch",   "hostfile"};
  for (const LaunchTarget* t : launchTargets())
    if (t->program) all.emplace_back(t->file);
  return all;
}

}  // namespace nest
