#!/usr/bin/env bash
# Measures a machine with measure_cluster.py on every GPU that this runs on:
#   measure_cluster.sh -o machine.json                      one host
#   srun -N 8 --ntasks-per-node 8 measure_cluster.sh …      a Slurm job (a task for each GPU)
#   NODES=8 HEAD=host0 NODE=k measure_cluster.sh …          by hand, on each host k = 0, 1, …
set -euo pipefail
script=$(dirname "$(readlink -f "$0")")/measure_cluster.py
if [ -n "${SLURM_PROCID:-}" ] && [ "${SLURM_NTASKS:-1}" -gt 1 ]; then
  MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
  export MASTER_ADDR
  exec python3 "$script" "$@"
fi
gpus=${GPUS:-$(nvidia-smi -L 2>/dev/null | grep -c ^GPU || rocm-smi --showid 2>/dev/null | grep -c 'GPU\[[0-9]*\].*Device ID' || echo 1)}
if ! command -v torchrun >/dev/null; then
  exec python3 "$script" "$@"  # one GPU; without PyTorch it says what to do
fi
exec torchrun --nnodes "${NODES:-1}" --node-rank "${NODE:-0}" --nproc-per-node "$gpus" \
  --master-addr "${HEAD:-localhost}" --master-port "${PORT:-29531}" "$script" "$@"
