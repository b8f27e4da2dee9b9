"""Posterior over all rules of five families; each row answered by weighted vote. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import math
import sys
from itertools import combinations, permutations
from pathlib import Path

import numpy as np

LIMIT = 32  # least |agreements - errors| to keep


def families(bits):
    """(name, log prior of one rule, function of subset indices -> list of columns) over sets of k bits."""
    def compare(x):
        for a, b, c, d in permutations(range(4)):  # 2a+b > 2c+d ; and a<->c mirrored is another permutation
            yield (x[a] > x[c]) | ((x[a] == x[c]) & (x[b] > x[d]))

    def andxor(x):
        for (a, b), (c, d) in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
            for m in range(16):
                yield ((x[a] ^ (m & 1)) & (x[b] ^ (m >> 1 & 1))) ^ ((x[c] ^ (m >> 2 & 1)) & (x[d] ^ (m >> 3 & 1)))

    def mux(x):
        for d in range(4):
            rest = [i for i in range(4) if i != d]
            for a in rest:
                b, c = [i for i in rest if i != a]
                yield x[d] ^ np.where(x[a] == 1, x[b], x[c])
                yield x[d] ^ np.where(x[a] == 1, x[c], x[b])

    def maj(x):
        yield (sum(v.astype(np.int8) for v in x) > len(x) // 2)

    def parity(x):
        y = x[0]
        for v in x[1:]:
            y = y ^ v
        yield y

    return [(4, compare, 24, 0.2), (4, andxor, 48, 0.2), (4, mux, 24, 0.2), (5, maj, 1, 0.2),
            (3, parity, 1, 0.2 / 3), (4, parity, 1, 0.2 / 3), (5, parity, 1, 0.2 / 3)]


def main():
    problem = json.loads(Path("problem.json").read_text())
    read = lambda rows: np.array([list(map(int, row)) for row in rows], dtype=np.uint8)
    G, A, Y = read(problem["given"]), read(problem["asked"]), read(problem["answers"])
    n, bits = G.shape
    rules = len(Y)
    both = np.concatenate([G, A])
    W = np.ascontiguousarray((1.0 - 2.0 * Y).astype(np.float32).T)
    votes = np.zeros((rules, len(A)))
    top = np.full(rules, -np.inf)
    ratio = math.log(7)
    kept = [[] for _ in range(rules)]
    for k, make, count, prior in families(bits):
        S = np.array(list(combinations(range(bits), k)))
        lp = math.log(prior / (len(S) * count * 2))
        for at in range(0, len(S), 4000):
            part = S[at:at + 4000]
            x = [np.ascontiguousarray(both[:, part[:, j]].T) for j in range(k)]
            for col in make(x):
                signs = 1 - 2 * col.astype(np.int8)
                dot = signs[:, :n].astype(np.float32) @ W
                h, r = np.nonzero(np.abs(dot) >= LIMIT)
                for i, q in zip(h.tolist(), r.tolist()):
                    v = float(dot[i, q])
                    kept[q].append((lp + ratio * (abs(v) - n) / 2, signs[i, n:] * (1 if v > 0 else -1), make.__name__, tuple(part[i])))
    out = []
    for q in range(rules):
        if not kept[q]:
            out.append("0" * len(A))
            continue
        w = np.array([c[0] for c in kept[q]])
        w = np.exp(w - w.max())
        w /= w.sum()
        v = w @ np.array([c[1] for c in kept[q]], dtype=float)
        out.append("".join("1" if s < 0 else "0" for s in v))
        if len(sys.argv) > 1:
            j = int(w.argmax())
            print(q, len(w), round(float(w.max()), 3), kept[q][j][2:], round(float(np.abs(v).mean()), 3))
    Path("answers.json").write_text(json.dumps({"answers": out}))


if __name__ == "__main__":
    main()
