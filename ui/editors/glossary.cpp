#include "editors/glossary.h"

#include <QStringList>
#include <algorithm>
#include <utility>
#include <vector>

namespace nest {
namespace {

const std::vector<std::pair<QString, QString>>& words() {
  static const std::vector<std::pair<QString, QString>> all = {
      {QStringLiteral("baseline"),
       QStringLiteral("Another planning method, run on the same scenario and judged by the same costs.")},
      {QStringLiteral("bubble"), QStringLiteral("Time in which a stage waits: for its first microbatch, for "
                                                "its last gradient, or for a slower stage.")},
      {QStringLiteral("cluster"),
       QStringLiteral("All devices that may be used, with the network levels that join them.")},
      {QStringLiteral("context degree"),
       QStringLiteral("Over how many devices each sequence is cut along its length (c). They pass keys and "
                      "values round in a ring.")},
      {QStringLiteral("cut"), QStringLiteral("The boundary between two stages.")},
      {QStringLiteral("data degree"),
       QStringLiteral("How many copies of the model train side by side on different samples (d). Their "
                      "gradients are summed once a batch.")},
      {QStringLiteral("device"),
       QStringLiteral(
           "One accelerator: a GPU, a TPU chip, or one die of a package where each has its own memory.")},
      {QStringLiteral("expert degree"),
       QStringLiteral("Over how many neighbouring replicas the experts of a layer are spread (e). Tokens "
                      "travel to them all-to-all.")},
      {QStringLiteral("fanout"), QStringLiteral("How many groups of the level inside make one group of this "
                                                "level; at the innermost level, devices in a host.")},
      {QStringLiteral("global batch"),
       QStringLiteral("Sequences that go into one optimizer step (B), over all replicas.")},
      {QStringLiteral("headroom"),
       QStringLiteral("What is left of a device's memory at the peak: capacity less everything it holds.")},
      {QStringLiteral("host"), QStringLiteral("Devices that share the innermost, fastest network.")},
      {QStringLiteral("layer"),
       QStringLiteral(
           "The unit that is placed: an embedding, a transformer block, the final norm or the head.")},
      {QStringLiteral("latency"),
       QStringLiteral("Time before the first byte of a message arrives, end to end at this level.")},
      {QStringLiteral("level"),
       QStringLiteral("A tier of the network. Level 0 joins the devices of a host; each further level joins "
                      "groups of the one before, more slowly.")},
      {QStringLiteral("bandwidth"), QStringLiteral("What one device sustains, one way, to a partner across "
                                                   "this level while its neighbours send as well.")},
      {QStringLiteral("link efficiency"),
       QStringLiteral(
           "The share of every level's bandwidth that exchanges sustain. 100 % if the bandwidths were "
           "measured; data sheets promise more than is reached.")},
      {QStringLiteral("load"), QStringLiteral("Time a stage spends on one microbatch: compute, exchanges, "
                                              "and transfers to and from its neighbours.")},
      {QStringLiteral("microbatch"),
       QStringLiteral("Sequences that pass through the pipeline together (b). A replica's share of the "
                      "global batch is cut into m of them.")},
      {QStringLiteral("MFU"),
       QStringLiteral("Model FLOPs utilisation: the arithmetic that the model needs, over what the used "
                      "devices could do at their peak in that time.")},
      {QStringLiteral("objective"),
       QStringLiteral("The formula that is made smallest: <i>pipeline</i> counts each stage's own load once, "
                      "<i>nest</i> is the paper's bound with the slowest stage throughout.")},
      {QStringLiteral("optimizer regime"),
       QStringLiteral("Bytes kept per parameter for weights, gradients and optimizer state.")},
      {QStringLiteral("overlap"),
       QStringLiteral("The share of an exchange that hides behind compute. 0 is the cautious assumption.")},
      {QStringLiteral("oversubscription"),
       QStringLiteral(
           "How much more a group can inject than its uplinks carry; bandwidth counts divided by it.")},
      {QStringLiteral("pipeline degree"), QStringLiteral("How many stages the model is cut into (p).")},
      {QStringLiteral("placement"), QStringLiteral("Which stage, replica and rank each device is.")},
      {QStringLiteral("plan"),
       QStringLiteral("All decisions together: degrees, cuts, recompute, ZeRO stage and placement.")},
      {QStringLiteral("preset"),
       QStringLiteral("<i>Runnable</i> searches only what training frameworks accept: divisible batches, "
                      "tensor groups that divide heads and hosts. <i>Free</i> searches everything.")},
      {QStringLiteral("profile"),
       QStringLiteral(
           "The costs of every layer under every strategy: time, parameters, kept activations, exchanges.")},
      {QStringLiteral("recompute"),
       QStringLiteral("Computing activations again in the backward pass instead of keeping them: not at all, "
                      "only around attention (selective), or whole layers (full).")},
      {QStringLiteral("replica"), QStringLiteral("One data-parallel copy of the model.")},
      {QStringLiteral("reserve"),
       QStringLiteral(
           "Memory kept free on each device for the driver, communication buffers and fragmentation.")},
      {QStringLiteral("scenario"),
       QStringLiteral("Cluster, model, job and search options: the document that is saved.")},
      {QStringLiteral("sequence length"), QStringLiteral("Tokens in one sequence.")},
      {QStringLiteral("sequence parallelism"),
       QStringLiteral("Norms and dropouts are split along the sequence over the tensor group: less kept "
                      "memory for the same traffic.")},
      {QStringLiteral("stage"),
       QStringLiteral("A run of layers that the same devices work on: one step of the pipeline.")},
      {QStringLiteral("stash"),
       QStringLiteral("Activations kept from the forward pass until the backward pass needs them.")},
      {QStringLiteral("strategy"), QStringLiteral("How the layers of a stage are split over a replica's "
                                                  "devices: tensor, sequence, context and expert degrees.")},
      {QStringLiteral("sync"), QStringLiteral("The exchange of gradients between replicas, once a batch.")},
      {QStringLiteral("tensor degree"), QStringLiteral("Over how many devices each matrix of a layer is cut "
                                                       "(t). They exchange activations inside every layer.")},
      {QStringLiteral("training tokens"),
       QStringLiteral("Tokens of the whole run; with it the headline tells days to train and device-hours.")},
      {QStringLiteral("ZeRO"),
       QStringLiteral("What replicas share out instead of each holding it: 1 optimizer state, 2 gradients "
                      "too, 3 weights too. Saves memory, costs traffic.")},
      {QStringLiteral("interleaving"),
       QStringLiteral("Each stage holds several shorter runs of layers (chunks), so the pipeline fills "
                      "faster at the price of more transfers.")},
  };
  return all;
}

}  // namespace

QString glossaryTip(const QString& word) {
  const auto matches = [&](const auto& entry) {
    return entry.first.compare(word, Qt::CaseInsensitive) == 0 ||
           (entry.first + QLatin1Char('s')).compare(word, Qt::CaseInsensitive) == 0;
  };
  const auto it = std::find_if(words().begin(), words().end(), matches);
  if (it == words().end()) return {};
  return QStringLiteral("<qt><b>%1</b><br>%2</qt>").arg(it->first, it->second);
}

QString glossaryText() {
  auto sorted = words();
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first.compare(b.first, Qt::CaseInsensitive) < 0; });
  QString out;
  for (const auto& [word, meaning] : sorted)
    out += QStringLiteral("<p><b>%1</b><br>%2</p>").arg(word, meaning);
  return out;
}

}  // namespace nest
