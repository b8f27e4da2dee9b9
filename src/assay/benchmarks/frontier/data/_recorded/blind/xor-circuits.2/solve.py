"""Circuits by the rule of Boyar and Peralta, then annealing of the circuit itself. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json
import random
import sys
import time
from math import exp
from pathlib import Path
import numpy as np

SIZE = 16
BUDGET = 56.0
T0, T1 = 0.19, 0.135
EVERY = np.arange(1 << SIZE)
BASE = np.bitwise_count(EVERY).astype(np.int8)


def rule(targets, rnd):
    left = np.array(sorted(targets))
    near = BASE.copy()
    signals = 1 << np.arange(SIZE)
    order = []
    while len(left):
        sums = (signals[:, None] ^ signals)[np.triu_indices(len(signals), 1)]
        sums = np.unique(sums[near[sums] > 1])
        distance = near[left]
        if (distance == 2).any():
            chosen = rnd.choice(left[distance == 2].tolist())
        else:
            new = np.minimum(distance, near[sums[:, None] ^ left] + 1).astype(int)
            value = new.sum(axis=1) * 100000 - (new**2).sum(axis=1)
            chosen = rnd.choice(sums[value == value.min()].tolist())
        order.append(int(chosen))
        signals = np.append(signals, chosen)
        near = np.minimum(near, near[EVERY ^ chosen] + 1)
        left = left[near[left] > 1]
    return order


def anneal(order, targets, seconds, rnd):
    inputs = {1 << i for i in range(SIZE)}
    par = {}
    S = set(inputs)
    users = {v: set() for v in inputs}
    for v in order:
        p = next(p for p in S if v ^ p in S)
        par[v] = (p, v ^ p)
        users[v] = set()
        users[p].add(v)
        users[v ^ p].add(v)
        S.add(v)
    keep = targets | inputs
    # drop what is not used
    for v in [v for v in par if not users[v] and v not in keep]:
        stack = [v]
        while stack:
            w = stack.pop()
            if users[w] or w in keep or w not in par:
                continue
            for x in par.pop(w):
                users[x].discard(w)
                stack.append(x)
            del users[w]
            S.discard(w)
    best, bestpar = len(par), dict(par)
    gates = list(par)
    alls = list(S)
    start = time.process_time()
    T = T0
    rand = rnd.random
    it = 0
    lim = [0.0] * 4
    while True:
        it += 1
        if it & 255 == 0:
            x = (time.process_time() - start) / seconds
            if x >= 1:
                break
            T = T0 * (T1 / T0) ** x
        u = gates[int(rand() * len(gates))]
        if u not in par:
            continue
        a, b = par[u]
        if rand() < 0.5:
            a, b = b, a
        # new derivation of u
        z = 0
        r = rand()
        if r < 0.45:
            # reassociate: u = a + b, a = c + d  ->  u = (c + b) + d
            if a not in par:
                continue
            c, d = par[a]
            if rand() < 0.5:
                c, d = d, c
            p, z, rs = d, c ^ b, (c, b)
            if z in S:
                rs = None
        elif r < 0.8:
            # another pair that is there
            c = [p for p in S if u ^ p in S]
            if len(c) <= 2:
                continue
            p = c[int(rand() * len(c))]
            z = u ^ p
            if p == a or p == b:
                continue
            rs = None
        else:
            p = alls[int(rand() * len(alls))]
            if p not in S or p == u or p == a or p == b:
                continue
            z = u ^ p
            if z in S:
                rs = None
            else:
                c = [q for q in S if z ^ q in S and q != u and z ^ q != u]
                if not c:
                    continue
                q = c[int(rand() * len(c))]
                rs = (q, z ^ q)
        if z == 0 or p == u or z == u:
            continue
        # what depends on u
        need = (p, z) if rs is None else (p, rs[0], rs[1])
        if users[u]:
            seen = {u}
            stack = [u]
            bad = False
            while stack:
                for w in users[stack.pop()]:
                    if w not in seen:
                        if w in need:
                            bad = True
                            break
                        seen.add(w)
                        stack.append(w)
                if bad:
                    break
            if bad:
                continue
        # apply, remember how to undo
        delta = 0
        old = par[u]
        users[old[0]].discard(u)
        users[old[1]].discard(u)
        if rs is not None:
            par[z] = rs
            users[z] = set()
            users[rs[0]].add(z)
            users[rs[1]].add(z)
            S.add(z)
            delta = 1
        par[u] = (p, z)
        users[p].add(u)
        users[z].add(u)
        removed = []
        stack = [old[0], old[1]]
        while stack:
            w = stack.pop()
            if w in keep or w not in par or users[w]:
                continue
            pr = par.pop(w)
            removed.append((w, pr))
            S.discard(w)
            del users[w]
            for x in pr:
                users[x].discard(w)
                stack.append(x)
        delta -= len(removed)
        if delta > 0 and rand() >= exp(-delta / T):
            for w, pr in reversed(removed):
                par[w] = pr
                users[w] = set()
                users[pr[0]].add(w)
                users[pr[1]].add(w)
                S.add(w)
            users[p].discard(u)
            users[z].discard(u)
            if rs is not None:
                del par[z]
                del users[z]
                users[rs[0]].discard(z)
                users[rs[1]].discard(z)
                S.discard(z)
            par[u] = old
            users[old[0]].add(u)
            users[old[1]].add(u)
            continue
        if removed or rs is not None:
            gates = list(par)
            alls = list(S)
            if len(par) < best:
                best, bestpar = len(par), dict(par)
    return best, bestpar, it


def write(par):
    number = {1 << i: i for i in range(SIZE)}
    out = []
    todo = dict(par)
    while todo:
        for v, (p, q) in list(todo.items()):
            if p in number and q in number:
                number[v] = SIZE + len(out)
                out.append([number[p], number[q]])
                del todo[v]
    return out


def main():
    rnd = random.Random(1)
    matrices = json.loads(Path("problem.json").read_text())["matrices"]
    circuits = []
    for k, rows in enumerate(matrices):
        targets = {sum(bit << i for i, bit in enumerate(row)) for row in rows}
        t = time.process_time()
        share = (BUDGET - t) / (len(matrices) - k)
        order = rule(targets, rnd)
        t2 = time.process_time()
        n, par, it = anneal(order, targets, share - (t2 - t), rnd)
        if len(sys.argv) > 1:
            print(len(order), n, it, round(t2 - t, 3), flush=True)
        circuits.append(write(par))
    Path("answers.json").write_text(json.dumps({"circuits": circuits}))


if __name__ == "__main__":
    main()
