#!/usr/bin/env python3
"""Writes tests/data/nsight-export: small databases with the tables and columns of NVIDIA's documented export schema."""
import os
import sqlite3
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'nsight-export')
RANK = 1 << 48 | 4242 << 24  # a GlobalId: machine and process, the thread below 24 bits
MAIN, ENGINE = 4242, 4300


class Export:
    """A step of `layers` layers with two forward kernels of 50 µs and two backward ones of 105 µs each."""

    def __init__(self, name):
        self.path = os.path.join(FOLDER, name)
        if os.path.exists(self.path):
            os.remove(self.path)
        self.db = sqlite3.connect(self.path)
        self.db.execute('PRAGMA page_size = 512')
        self.db.executescript('''
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text TEXT,
  globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3');''')
        self.strings, self.now, self.rank, self.correlation = {}, 1000, RANK, 0

    def text(self, s):
        if s not in self.strings:
            self.strings[s] = len(self.strings) + 1
            self.db.execute('INSERT INTO StringIds VALUES (?, ?)', (self.strings[s], s))
        return self.strings[s]

    def range(self, text, thread, inside, registered=False):
        """An NVTX push/pop range around what `inside` does."""
        begin = self.now
        self.now += 100
        inside()
        self.now += 100
        self.db.execute('INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, ?, ?, NULL, ?, 0)',
                        (begin, self.now, None if registered else text, self.rank | thread,
                         self.text(text) if registered else None))
        self.now += 10

    def kernel(self, thread, us, name='sm90_xmma_gemm_bf16'):
        self.correlation += 1
        self.db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0)',
                        (self.now, self.now + 50, self.rank | thread, self.correlation, self.text('cudaLaunchKernel')))
        self.db.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, ?, ?)',
                        (self.now + 900, self.now + 900 + us * 1000, self.correlation, self.rank,
                         self.text('void ' + name + '<…>()'), self.text(name)))
        self.now += 100

    def forward(self, sequence, thread=MAIN):
        for k in (0, 1):
            self.range(f'aten::linear, seq = {sequence + k}, op_id = {sequence * 2 + k}', thread,
                       lambda: self.kernel(thread, 50))
        self.kernel(thread, 77, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL')

    def backward(self, sequence, again=None):
        for k in (1, 0):
            def task():
                if again and k == 1:
                    again()
                self.range(f'AddmmBackward0, seq = {sequence + k}, op_id = 9', ENGINE, lambda: self.kernel(ENGINE, 100))
                self.kernel(ENGINE, 5, 'add')
            self.range('autograd::engine::evaluate_function: AddmmBackward0, op_id = 8', ENGINE, task, registered=True)
        self.range('autograd::engine::evaluate_function: torch::autograd::AccumulateGrad, op_id = 7', ENGINE,
                   lambda: self.range('torch::autograd::AccumulateGrad, seq = 18446744073709551615, op_id = 8', ENGINE,
                                      lambda: self.kernel(ENGINE, 33)))

    def close(self):
        self.db.commit()
        self.db.execute('VACUUM')
        self.db.close()
        return self.path


def megatron_layer(e, inside, thread=MAIN):
    where = 'megatron.core.transformer.transformer_layer._forward_'
    e.range(where + 'attention.self_attention', thread, lambda: None, registered=True)
    e.range(where + 'mlp.mlp', thread, inside, registered=True)
    e.range(where + 'mlp.mlp_bda', thread, lambda: None, registered=True)


def steps(e, layers, count=2, annotate=lambda i: f'layer_{i}, op_id = 3'):
    for step in range(count):
        first = step * 100
        for i in range(layers):
            e.range(annotate(i), MAIN, lambda: e.forward(first + 10 * i))
        for i in reversed(range(layers)):
            e.backward(first + 10 * i)


os.makedirs(FOLDER, exist_ok=True)
e = Export('layers.sqlite')
steps(e, 4)
layers = e.close()

e = Export('two_ranks.sqlite')  # the second counts its operators as the first does, and is slower to launch
steps(e, 2, 1)
e.rank, e.correlation = RANK + (1 << 24), 0
for i in (0, 1):
    e.range(f'layer_{i}', MAIN, lambda: (e.forward(10 * (1 - i)), e.kernel(MAIN, 20)))
for i in (1, 0):
    e.backward(10 * (1 - i))
e.close()

# The engine's thread computes again with numbers that the first layer had in the forward pass, and leaves no tasks behind.
e = Export('recomputed.sqlite')
for i in range(3):
    e.range(f'layer_{i}', MAIN, lambda: e.forward(10 * i))
for i in reversed(range(3)):
    e.backward(10 * i, again=lambda: e.range(f'layer_{i}', ENGINE, lambda: e.forward(0, ENGINE)))
e.close()

# Megatron-LM --nvtx-ranges --record-shapes: parts of layers, without numbers.
e = Export('megatron.sqlite')
for i in range(3):
    megatron_layer(e, lambda: e.forward(10 * i))
for i in reversed(range(3)):
    e.backward(10 * i, again=lambda: megatron_layer(e, lambda: e.forward(0, ENGINE), ENGINE))
path = e.close()
db = sqlite3.connect(path)
db.execute('PRAGMA journal_mode = WAL')  # as a database is left that others wrote to
db.close()

e = Export('named_passes.db')  # no numbers of operators: the ranges say which pass they are
for i in range(2):
    e.range(f'layer_{i}f', MAIN, lambda: (e.kernel(MAIN, 60), e.kernel(MAIN, 40)))
e.range('layer_1f-layer_0b', MAIN, lambda: e.kernel(MAIN, 999))
for i in (1, 0):
    e.range(f'layer_{i}b', MAIN, lambda: e.kernel(MAIN, 210))
e.close()

e = Export('bad_no_kernels.sqlite')
e.range('layer_0', MAIN, lambda: None)
e.close()
e = Export('bad_no_layers.sqlite')
e.forward(1)
e.close()
e = Export('bad_no_backward.sqlite')
e.range('layer_0', MAIN, lambda: e.forward(1))
e.close()
e = Export('bad_no_launches.sqlite')
e.range('layer_0', MAIN, lambda: None)
e.kernel(MAIN, 10)
e.close()

path = os.path.join(FOLDER, 'bad_other.sqlite')
if os.path.exists(path):
    os.remove(path)
db = sqlite3.connect(path)
db.executescript('PRAGMA page_size = 512; CREATE TABLE bookmarks (id INTEGER, url TEXT);')
db.commit()
db.close()

# A view in place of the table, which would never end.
e = Export('bad_view.sqlite')
e.db.executescript('''DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n)
  SELECT start, start AS end, 1 AS correlationId, 1 AS globalPid FROM n;''')
e.range('layer_0', MAIN, lambda: None)
e.close()
e = Export('bad_columns.sqlite')
e.db.executescript('DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (name TEXT);')
e.close()

whole = open(layers, 'rb').read()
open(os.path.join(FOLDER, 'bad_cut.sqlite'), 'wb').write(whole[:len(whole) * 2 // 3])
open(os.path.join(FOLDER, 'bad_head.sqlite'), 'wb').write(whole[:100])
broken = bytearray(whole)
for at in range(2048, len(broken), 512):  # pages that point anywhere
    broken[at:at + 24] = b'\x05\x00\x00\xff\xff' + b'\x00' * 3 + b'\xff' * 16
open(os.path.join(FOLDER, 'bad_pages.sqlite'), 'wb').write(broken)
sys.stdout.write('\n'.join(f'{n} {os.path.getsize(os.path.join(FOLDER, n))}' for n in sorted(os.listdir(FOLDER))) + '\n')
