#include "editors/glossary.h"

#include <QStringList>
#include <algorithm>
#include <utility>
#include <vector>

#include "theme/plain_text.h"

namespace nest {
namespace {

const std::vector<std::pair<QString, QString>>& glossaryWords() {
  static const std::vector<std::pair<QString, QString>> all = {
      {QStringLiteral("baseline"),
       QStringLiteral("Another planning method, run on the same scenario and costed with the same model.")},
      {QStringLiteral("bubble"),
       QStringLiteral(
           "Idle time of a stage: while the pipeline fills and drains, or behind a slower stage.")},
      {QStringLiteral("cluster"),
       QStringLiteral("All available devices and the network levels that connect them.")},
      {QStringLiteral("context degree"), QStringLiteral("Number of devices that each sequence is split over "
                                                        "(CP). They exchange keys and values in a ring.")},
      {QStringLiteral("cut"), QStringLiteral("The boundary between two stages.")},
      {QStringLiteral("data degree"),
       QStringLiteral("Number of model replicas that train on different samples (DP). Their gradients are "
                      "reduced once per step.")},
      {QStringLiteral("device"),
       QStringLiteral(
           "One accelerator: a GPU, a TPU chip, or one die of a package where each has its own memory.")},
      {QStringLiteral("expert degree"),
       QStringLiteral("Number of neighboring replicas that the experts of a layer are distributed over (EP). "
                      "Tokens reach them by all-to-all.")},
      {QStringLiteral("fanout"), QStringLiteral("Number of inner-level groups in one group of this level; at "
                                                "the innermost level, devices per host.")},
      {QStringLiteral("global batch"),
       QStringLiteral("Sequences per optimizer step, over all replicas (GBS).")},
      {QStringLiteral("headroom"), QStringLiteral("Memory that remains free on a device at its peak.")},
      {QStringLiteral("host"), QStringLiteral("Devices that share the innermost, fastest network.")},
      {QStringLiteral("layer"),
       QStringLiteral(
           "The unit of placement: an embedding, a transformer block, the final norm or the head.")},
      {QStringLiteral("latency"),
       QStringLiteral("End-to-end time until the first byte of a message arrives at this level.")},
      {QStringLiteral("level"),
       QStringLiteral("A tier of the network. Level 0 connects the devices of a host; each further level "
                      "connects groups of the previous one.")},
      {QStringLiteral("bandwidth"),
       QStringLiteral("Per-device, one-way bandwidth across this level when all devices send.")},
      {QStringLiteral("link efficiency"),
       QStringLiteral("Share of the bandwidth that collectives achieve. 100 % for measured bandwidths; "
                      "datasheet bandwidths are higher than collectives achieve.")},
      {QStringLiteral("load"),
       QStringLiteral("Time of a stage per microbatch: compute, communication, and pipeline send/recv.")},
      {QStringLiteral("microbatch"),
       QStringLiteral("Sequences that pass through the pipeline together (MBS). A replica's share of the "
                      "global batch is split into microbatches.")},
      {QStringLiteral("MFU"), QStringLiteral("Model FLOPs utilization: the FLOPs that the model needs, "
                                             "divided by the peak FLOPs of the devices in use.")},
      {QStringLiteral("objective"),
       QStringLiteral("The formula that is minimized: <i>pipeline</i> counts each stage's own time once; "
                      "<i>nest</i> is the paper's bound, which uses the slowest stage throughout.")},
      {QStringLiteral("optimizer precision"),
       QStringLiteral("Bytes per parameter for weights, gradients and optimizer state.")},
      {QStringLiteral("overlap"),
       QStringLiteral(
           "Share of a communication that is hidden behind compute. 0 is the conservative assumption.")},
      {QStringLiteral("oversubscription"),
       QStringLiteral("Ratio of downlink to uplink bandwidth (4 = 4:1). Bandwidth is divided by it.")},
      {QStringLiteral("pipeline degree"), QStringLiteral("Number of pipeline stages (PP).")},
      {QStringLiteral("placement"), QStringLiteral("Assignment of stage, replica and rank to each device.")},
      {QStringLiteral("plan"),
       QStringLiteral("All decisions: parallel degrees, stage cuts, recompute, ZeRO stage and placement.")},
      {QStringLiteral("program"),
       QStringLiteral(
           "What runs the plan: a training framework at one time. It sets overlaps, kernels, memory "
           "overheads and which plans can be expressed; each value can be changed. <i>Ideal</i>: "
           "nothing overlaps.")},
      {QStringLiteral("preset"),
       QStringLiteral("<i>Runnable</i> searches only what training frameworks accept: divisible batches, TP "
                      "that divides heads and hosts. <i>Free</i> searches everything.")},
      {QStringLiteral("profile"),
       QStringLiteral(
           "The costs of every layer under every strategy: time, parameters, activations, communication.")},
      {QStringLiteral("recompute"),
       QStringLiteral("Recomputing activations in the backward pass instead of keeping them: none, attention "
                      "only (selective), or whole layers (full).")},
      {QStringLiteral("replica"), QStringLiteral("One data-parallel copy of the model.")},
      {QStringLiteral("reserve"),
       QStringLiteral(
           "Memory reserved on each device for the driver, communication buffers and fragmentation.")},
      {QStringLiteral("scenario"),
       QStringLiteral("Cluster, model, job and search options: the document that you save.")},
      {QStringLiteral("sequence length"), QStringLiteral("Tokens in one sequence.")},
      {QStringLiteral("sequence parallelism"),
       QStringLiteral("Splits norms and dropouts along the sequence over the TP group: less activation "
                      "memory for the same traffic.")},
      {QStringLiteral("shard group"),
       QStringLiteral("Replicas that share one copy of what ZeRO shards: all of them, or neighbours only "
                      "(HSDP, MiCS, several optimizer instances), whose copies are then all-reduced.")},
      {QStringLiteral("folded experts"),
       QStringLiteral("Each expert is whole on a device (expert tensor degree 1), and expert groups span the "
                      "TP and CP ranks of neighbouring replicas.")},
      {QStringLiteral("stage"),
       QStringLiteral("Consecutive layers on the same devices: one stage of the pipeline.")},
      {QStringLiteral("stash"),
       QStringLiteral("Activations kept from the forward pass until the backward pass needs them.")},
      {QStringLiteral("strategy"),
       QStringLiteral("How the layers of a stage are split over a replica's devices: TP, SP, CP and EP.")},
      {QStringLiteral("schedule"),
       QStringLiteral(
           "The order in which stages run forward and backward passes (1F1B, interleaved, ZB-H1, ZB-V, "
           "DualPipeV): it decides the bubble and how many activations are held.")},
      {QStringLiteral("sync"), QStringLiteral("Gradient reduction across DP ranks, once per step.")},
      {QStringLiteral("tensor degree"),
       QStringLiteral("Number of devices that each matrix of a layer is split over (TP). They exchange "
                      "activations in every layer.")},
      {QStringLiteral("training tokens"),
       QStringLiteral(
           "Tokens of the whole run; with it, the headline shows training days and device-hours.")},
      {QStringLiteral("ZeRO"),
       QStringLiteral("Shards state across DP ranks: 1 optimizer, 2 + gradients, 3 + parameters (FSDP).")},
      {QStringLiteral("interleaving"),
       QStringLiteral("Each stage holds several model chunks (VPP), so the pipeline fills faster at the cost "
                      "of more send/recv.")},
  };
  return all;
}  // namespace

}  // namespace

QString glossaryTip(const QString& word, const QString& more) {
  const auto matches = [&](const auto& entry) {
    return entry.first.compare(word, Qt::CaseInsensitive) == 0 ||
           (entry.first + QLatin1Char('s')).compare(word, Qt::CaseInsensitive) == 0;
  };
  const auto it = std::find_if(glossaryWords().begin(), glossaryWords().end(), matches);
  if (it == glossaryWords().end()) return richTip(more);
  return richTip(QStringLiteral("<b>%1</b><br>%2").arg(it->first, it->second) + more);
}

QString glossaryText() {
  auto sorted = glossaryWords();
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first.compare(b.first, Qt::CaseInsensitive) < 0; });
  QString out;
  for (const auto& [word, meaning] : sorted)
    out += QStringLiteral("<p><b>%1</b><br>%2</p>").arg(word, meaning);
  return out;
}

}  // namespace nest
