#!/usr/bin/env bash
# nest-plan sweep and study --submit slurm on a real Slurm of one node: submitted, cancelled half way, resumed, joined; the
# same bytes as without it. NEST_SLURM_POINTS: how many points (400).
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin
needs slurmctld slurmd sbatch munged
[ "$(id -u)" = 0 ] || skip "slurmd wants root"
points=${NEST_SLURM_POINTS:-400} tasks=4
plan=$BUILD/bin/nest-plan
cd "$work"

daemons=()
stop_all() {
  scancel -u root 2>/dev/null || true
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do kill "${daemons[i]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop_all EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
mkdir -m 755 munge && mkdir state spool && chmod 711 "$work"
head -c 1024 /dev/urandom >munge/key && chmod 400 munge/key
munged --force --foreground --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed" >munge.out 2>&1 &
daemons+=($!)
host=$(hostname -s)
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$tasks State=UNKNOWN
NodeName=ghost[0-1] NodeAddr=127.0.0.1 Port=1 CPUs=$tasks State=DOWN
NodeName=ghost[2-3] NodeAddr=127.0.0.1 Port=1 CPUs=$tasks State=DRAIN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
PartitionName=shared Nodes=ALL MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
for ((i = 0; i < 50; ++i)); do [ -S munge/socket ] && break; sleep 0.1; done
[ -S munge/socket ] || skip "munged does not start: $(tail -2 munge.out munge/log 2>/dev/null)"
slurmctld -D >slurmctld.out 2>&1 &
daemons+=($!)
slurmd -D >slurmd.out 2>&1 &
daemons+=($!)
for ((i = 0; i < 300; ++i)); do
  [ "$(sinfo --noheader --partition=all --format=%T 2>/dev/null)" = idle ] && break
  sleep 0.1
done
[ "$(sinfo --noheader --partition=all --format=%T 2>/dev/null)" = idle ] || skip "Slurm does not start: $(tail -3 slurmctld.out slurmctld.log slurmd.out slurmd.log 2>/dev/null)"

scenario=$SOURCE/samples/teaching-6-layers-2x2.nest.json
sweep=("$plan" sweep "$scenario" --set "job.global_batch=8..$((points / 2 * 8))+8" --set "cluster.levels.1.bandwidth=10 GB/s,20 GB/s")
begin=$SECONDS
"${sweep[@]}" -o plain 2>/dev/null
echo "$points points on threads: $((SECONDS - begin)) s"

# Ends a job and waits until it is gone: what finds it still ending waits for it.
cancel() {
  scancel "$1"
  for ((i = 0; i < 300; ++i)); do [ -z "$(squeue --noheader --jobs="$1" 2>/dev/null)" ] && break; sleep 0.1; done
}
rows() { cat out.shard-*.jsonl 2>/dev/null | grep -c '"index"' || true; }
begin=$SECONDS
# Left alone after some rows: the array goes on, and is then cancelled.
"${sweep[@]}" -o out --submit slurm --tasks $tasks --no-wait 2>err && fail "it did not say that rows are missing"
[ -f out.slurm.json ] || fail "not submitted: $(cat err)"
job=$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' out.slurm.json)
[ -n "$job" ] || fail "no job: $(cat err)"
for ((i = 0; i < 600; ++i)); do [ "$(rows)" -ge $((points / 10)) ] && break; sleep 0.05; done
cancel "$job"
kept=$(rows)
[ "$kept" -ge $((points / 10)) ] || fail "only $kept rows: $(cat out.slurm-*.log slurmctld.log | tail -20)"
[ ! -e out.csv ] || fail "a table of what is not whole"
echo "cancelled after $kept rows"

# Waiting for it and giving up leaves it at work; the next call finds that job, waits and joins.
"${sweep[@]}" -o out --submit slurm 2>>err &
waiting=$!
sleep 1
kill -INT $waiting 2>/dev/null || true
code=0; wait $waiting || code=$?
[ $code = 3 ] || [ $code = 0 ] || fail "code $code after Ctrl+C: $(cat err)"
"${sweep[@]}" -o out --submit slurm 2>>err || fail "resumed: $(cat err)"
cmp plain.csv out.csv && cmp plain.json out.json || fail "joined rows differ"
[ "$(rows)" = "$points" ] || fail "$(rows) rows in the journals: solved twice"
echo "$points points through Slurm, cancelled and resumed: $((SECONDS - begin)) s"

# All there: nothing is submitted again. Another sweep on the same place is refused.
rm out.csv
"${sweep[@]}" -o out --submit slurm 2>err && [ -f out.csv ] || fail "joining again: $(cat err)"
! grep -q submitted err || fail "submitted again"
"$plan" sweep "$scenario" --set job.global_batch=8,16 -o out --submit slurm 2>err && fail "another sweep was taken"
grep -q "another sweep" err || fail "$(cat err)"
# What Slurm refuses is told in its words.
"$plan" sweep "$scenario" --set job.global_batch=8,16 -o bad --submit slurm --sbatch --partition=none 2>err && fail "no such partition"
grep -q "invalid partition" err || fail "$(cat err)"

# A study: submitted, cancelled, resumed, joined to what --json prints.
study=("$plan" study scaling "$SOURCE/samples/llama2-7b-h100-128.nest.json" --from 8 --to 1024)
"${study[@]}" --json >study.json
"${study[@]}" -o curve --submit slurm --tasks 3 --no-wait 2>err && fail "it did not say that rows are missing"
cancel "$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' curve.slurm.json)"
"${study[@]}" -o curve --submit slurm 2>>err || fail "study resumed: $(cat err curve.slurm-*.log)"
cmp study.json curve.json || fail "the joined study differs"
[ "$(cat curve.shard-*.jsonl | grep -c '"index"')" = 8 ] || fail "rows were solved twice"
rm curve.json
"${study[@]}" -o curve --submit slurm 2>err && cmp study.json curve.json || fail "joining again: $(cat err)"
"$plan" study scaling "$SOURCE/samples/llama2-7b-h100-128.nest.json" --from 8 --to 512 -o curve --submit slurm 2>err && fail "another study was taken"
grep -q "another study" err || fail "$(cat err)"
echo "a study through Slurm, cancelled and resumed"

# Where to run: what sinfo and scontrol print of a cluster with hosts that are down and drained becomes a scenario whose
# plan is on the idle host, and Slurm runs a job from the node list that is written.
sinfo --partition=shared >nodes.sinfo.txt
scontrol show nodes -d >nodes.scontrol.txt
# Slurm's nodes here have no GPUs; the devices of a host are what the import is told.
"$plan" import nodes.sinfo.txt "$SOURCE/samples/models/bert-large.json" --devices-per-host $tasks --device h100-sxm --batch 16 -o shared.nest.json 2>err || fail "import: $(cat err)"
"$plan" solve shared.nest.json >solved 2>err || fail "solve: $(cat err)"
grep -q "4 of 5 hosts are not planned on: 2 down and 2 drained" solved || fail "hosts: $(cat solved)"
"$plan" export shared.nest.json --as sbatch -o job.sbatch 2>err || fail "export: $(cat err)"
grep -q "^#SBATCH --nodelist=$host$" job.sbatch && grep -q "^#SBATCH --exclude=ghost\[0-3\]$" job.sbatch || fail "$(cat job.sbatch)"
# No GPUs to ask for, and a program that says where it runs in place of the training program.
sed -i '/gpus-per-node/d; s|^exec ./run.sh.*|srun hostname -s|' job.sbatch
sbatch --partition=shared --wait --output=job.out job.sbatch >err 2>&1 || fail "sbatch: $(cat err job.out slurmctld.log | tail -20)"
[ "$(sort -u job.out)" = "$host" ] || fail "ran on $(cat job.out)"
[ "$(wc -l <job.out)" = "$(sed -n 's/^#SBATCH --ntasks=//p' job.sbatch)" ] || fail "$(wc -l <job.out) tasks ran: $(cat job.out)"
# A host that is down cannot be asked for: Slurm says so as well.
sed "s|--nodelist=.*|--nodelist=ghost0|; /--exclude/d" job.sbatch >down.sbatch
timeout 5 sbatch --partition=shared --wait --output=down.out down.sbatch >err 2>&1 && fail "a job ran on a host that is down"
scancel -u root
echo "a job on the hosts of a plan"
