#include <algorithm>
#include <array>
#include <cctype>

#include "formats/format.h"

namespace nest {

// Each is defined beside its reader.
const Format& scenarioFormat();
const Format& outcomeFormat();
const Format& planFormat();
const Format& huggingFaceFormat();
const Format& profileFormat();
const Format& piperFormat();
const Format& artifactFormat();
const Format& pipeDreamFormat();
const Format& clusterTextFormat();
const Format& slurmConfFormat();
const Format& slurmYamlFormat();
const Format& ncclFormat();
const Format& astraSimFormat();
const Format& simGridFormat();
const Format& graphMlFormat();
const Format& dotFormat();
const Format& nvidiaTopoFormat();
const Format& awsTopologyFormat();
const Format& googleTopologyFormat();
const Format& oracleTopologyFormat();
const Format& kubernetesNodesFormat();
const Format& hyperNodeFormat();
const Format& topographFormat();
const Format& slurmNodesFormat();
const Format& sinfoFormat();
const Format& infinibandFormat();
const Format& hwlocFormat();
const Format& amdTopoFormat();
const Format& gexfFormat();
const Format& nodeLinkFormat();
const Format& inventoryFormat();
const Format& ansibleFormat();
const Format& hostFileFormat();
const Format& megatronLogFormat();
const Format& torchtitanLogFormat();
const Format& torchtitanConfigFormat();
const Format& deepSpeedConfigFormat();
const Format& nemoLogFormat();
const Format& nanotronLogFormat();
const Format& maxTextLogFormat();
const Format& ncclTestsFormat();
const Format& profilerTraceFormat();
const Format& nsightExportFormat();
const Format& galvatronFormat();
const Format& machineTimesFormat();
const Format& aiConfiguratorFormat();

std::span<const Format* const> formats() {
  static const std::array all = {&scenarioFormat(),
                                 &outcomeFormat(),
                                 &planFormat(),
                                 &huggingFaceFormat(),
                                 &profileFormat(),
                                 &piperFormat(),
                                 &artifactFormat(),
                                 &pipeDreamFormat(),
                                 &megatronLogFormat(),
                                 &torchtitanLogFormat(),
                                 &torchtitanConfigFormat(),
                                 &deepSpeedConfigFormat(),
                                 &nemoLogFormat(),
                                 &nanotronLogFormat(),
                                 &maxTextLogFormat(),
                                 &ncclTestsFormat(),
                                 &profilerTraceFormat(),
                                 &nsightExportFormat(),
                                 &machineTimesFormat(),
                                 &galvatronFormat(),
                                 &aiConfiguratorFormat(),
                                 &clusterTextFormat(),
                                 &slurmConfFormat(),
                                 &slurmYamlFormat(),
                                 &ncclFormat(),
                                 &astraSimFormat(),
                                 &simGridFormat(),
                                 &graphMlFormat(),
                                 &dotFormat(),
                                 &gexfFormat(),
                                 &nodeLinkFormat(),
                                 &amdTopoFormat(),
                                 &hwlocFormat(),
                                 &infinibandFormat(),
                                 &awsTopologyFormat(),
                                 &googleTopologyFormat(),
                                 &oracleTopologyFormat(),
                                 &kubernetesNodesFormat(),
                                 &hyperNodeFormat(),
                                 &topographFormat(),
                                 &slurmNodesFormat(),
                                 &sinfoFormat(),
                                 &nvidiaTopoFormat(),
                                 &inventoryFormat(),
                                 &ansibleFormat(),
                                 &hostFileFormat()};
  return all;
}

}  // namespace nest
