"""Boyar-Peralta start, then random walk over circuits: flips, merges, occasional growth. Run: `python solve.py`."""

import json
import os
import random
import sys
import time
from pathlib import Path

import numpy as np

SIZE = 16
TOTAL = float(os.environ.get("TOTAL", "57"))
PLUS = float(os.environ.get("PLUS", "0.002"))
MARGIN = int(os.environ.get("MARGIN", "2"))
STARTS = int(os.environ.get("STARTS", "4"))
EVERY = np.arange(1 << SIZE)
COUNT = np.bitwise_count(EVERY).astype(np.int8)


def rule(targets, source):
    left = np.array(sorted(set(targets)))
    near = COUNT
    signals = 1 << np.arange(SIZE)
    ops = {}
    while len(left):
        sums = (signals[:, None] ^ signals)[np.triu_indices(len(signals), 1)]
        sums = np.unique(sums[near[sums] > 1])
        distance = near[left]
        if (distance == 2).any():
            chosen = source.choice(left[distance == 2].tolist())
        else:
            new = np.minimum(distance, near[sums[:, None] ^ left] + 1).astype(int)
            value = new.sum(axis=1) * 100000 - (new**2).sum(axis=1)
            chosen = source.choice(sums[value == value.min()].tolist())
        have = set(signals.tolist())
        a = next(s for s in have if s ^ chosen in have)
        ops[chosen] = (a, a ^ chosen)
        signals = np.append(signals, chosen)
        near = np.minimum(near, near[EVERY ^ chosen] + 1)
        left = left[near[left] > 1]
    return ops


def walk(ops, targets, seconds, source):
    """ops: value -> pair of values. Returns the best ops found."""
    ops = dict(ops)
    T = set(targets)
    cons = {1 << i: set() for i in range(SIZE)}
    for v in ops:
        cons[v] = set()
    for v, (a, b) in ops.items():
        cons[a].add(v)
        cons[b].add(v)
    nodes = list(ops)
    pos = {v: i for i, v in enumerate(nodes)}
    rnd = source.random

    def depends(a, y):
        if a == y:
            return True
        stack, seen = [a], {a}
        while stack:
            for o in ops.get(stack.pop(), ()):
                if o == y:
                    return True
                if o not in seen:
                    seen.add(o)
                    stack.append(o)
        return False

    def prune(x):
        while_stack = [x]
        while while_stack:
            x = while_stack.pop()
            if x in ops and x not in T and not cons[x]:
                a, b = ops.pop(x)
                del cons[x]
                i = pos.pop(x)
                last = nodes.pop()
                if last != x:
                    nodes[i] = last
                    pos[last] = i
                cons[a].discard(x)
                cons[b].discard(x)
                while_stack += (a, b)

    def rewire(y, a, b):
        c, d = ops[y]
        cons[c].discard(y)
        cons[d].discard(y)
        ops[y] = (a, b)
        cons[a].add(y)
        cons[b].add(y)
        if not cons[c]:
            prune(c)
        if d in cons and not cons[d]:
            prune(d)

    for v in list(nodes):
        if v in ops:
            prune(v)
    best, bestops = len(nodes), dict(ops)
    end = time.process_time() + seconds
    n = 0
    moves = 0
    while True:
        n += 1
        if not n & 255 and time.process_time() > end:
            break
        r = rnd() * len(nodes)
        y = nodes[int(r)]
        f = int(r * 1024) & 7
        x, z = ops[y]
        if f & 1:
            x, z = z, x
        if x not in ops:
            if z not in ops:
                continue
            x, z = z, x
        p, q = ops[x]
        if f & 2:
            p, q = q, p
        w = q ^ z
        if w in cons:
            if not depends(w, y):
                rewire(y, p, w)
        else:
            if x not in T and len(cons[x]) == 1:
                # replace x by w
                cons[p].discard(x)
                cons[q].discard(x)
                cons[z].discard(y)
                del cons[x]
                del ops[x]
                i = pos.pop(x)
                nodes[i] = w
                pos[w] = i
            elif len(nodes) < best + MARGIN and rnd() < PLUS:
                cons[x].discard(y)
                cons[z].discard(y)
                pos[w] = len(nodes)
                nodes.append(w)
            else:
                continue
            ops[w] = (q, z)
            ops[y] = (p, w)
            cons[w] = {y}
            cons[q].add(w)
            cons[z].add(w)
            cons[p].add(y)
            moves += 1
            hits = [v for v in cons if w ^ v in cons]
            if len(hits) > 4:
                source.shuffle(hits)
                for v in hits:
                    u = w ^ v
                    if v not in ops or u not in cons or w not in cons:
                        continue
                    a, b = ops[v]
                    if a == w or b == w:
                        continue
                    gain = (len(cons[a]) == 1 and a in ops and a not in T and a != u) or (
                        len(cons[b]) == 1 and b in ops and b not in T and b != u)
                    if (gain or rnd() < 0.5) and not depends(w, v) and not depends(u, v):
                        rewire(v, u, w)
        if len(nodes) < best:
            best, bestops = len(nodes), dict(ops)
    return bestops, n, moves


def circuit(ops):
    index = {1 << i: i for i in range(SIZE)}
    out = []

    def make(v):
        if v not in index:
            a, b = ops[v]
            make(a)
            make(b)
            out.append([index[a], index[b]])
            index[v] = SIZE + len(out) - 1

    for v in ops:
        make(v)
    return out


def main():
    source = random.Random(5)
    problem = json.loads(Path("problem.json").read_text())
    circuits = []
    M = len(problem["matrices"])
    for k, rows in enumerate(problem["matrices"]):
        share = (TOTAL - time.process_time()) / (M - k)
        until = time.process_time() + share
        targets = [sum(bit << place for place, bit in enumerate(row)) for row in rows]
        starts = [rule(targets, source) for _ in range(STARTS)]
        first = sorted(map(len, starts))
        ops = min(starts, key=len)
        ops, n, moves = walk(ops, targets, until - time.process_time(), source)
        print(first, len(ops), n, moves, file=sys.stderr)
        circuits.append(circuit(ops))
    Path("answers.json").write_text(json.dumps({"circuits": circuits}))


if __name__ == "__main__":
    main()
