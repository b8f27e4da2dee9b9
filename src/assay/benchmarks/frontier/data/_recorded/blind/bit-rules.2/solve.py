"""Bayes over five families of rules: parity, majority of five, and three tables of four bits. Run: `python solve.py`."""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json
from itertools import combinations, permutations
from pathlib import Path
import numpy as np

D = "0000001101010110"
C = ["1000101011101111", "0000100010101110"]
E = ["0001101111100100", "1001100110100101"]


def signs(rows):
    return (1 - 2 * np.array([list(map(int, row)) for row in rows])).astype(np.float32)


def perms(tables):
    out = set()
    for t in tables:
        t = np.array(list(map(int, t))).reshape(2, 2, 2, 2)
        out |= {tuple(t.transpose(p).ravel().tolist()) for p in permutations(range(4))}
    return sorted(out)


def negs(table):
    t = np.array(list(map(int, table))).reshape(2, 2, 2, 2)
    out = []
    for f in range(16):
        v = t
        for a in range(4):
            if f >> a & 1:
                v = np.flip(v, a)
        out += ["".join(map(str, v.ravel())), "".join(map(str, (1 - v).ravel()))]
    return out


def main():
    P = json.loads(Path("problem.json").read_text())
    G, A, Y = signs(P["given"]), signs(P["asked"]), signs(P["answers"])
    R, n = Y.shape
    L7 = np.log(7.0)
    vote = np.zeros((R, len(A)))
    logs, preds = [[] for _ in range(R)], [[] for _ in range(R)]
    KEEP = 22 / L7  # candidates this far (agreements) under the best so far are dropped
    top = np.full(R, -1e9)

    def add(score, makepred, prior):
        """score: rules x candidates (sums of products, +-n); makepred(j) -> asked signs."""
        lw = (score + n) / 2 * L7 + prior
        np.maximum(top, lw.max(1), out=top)
        for r, j in zip(*np.nonzero(lw > (top - 14)[:, None])):
            logs[r].append(lw[r, j])
            preds[r].append(makepred(j))

    def signed(feature_g, feature_a, prior):
        s = Y @ feature_g.T
        add(s, lambda j: feature_a[j], prior)
        add(-s, lambda j: -feature_a[j], prior)

    def chunks(seq, k):
        for i in range(0, len(seq), k):
            yield np.array(seq[i:i + k])

    fam = -np.log(5.0)
    for k in (3, 4, 5):
        subs = list(combinations(range(24), k))
        for c in chunks(subs, 6000):
            signed(G.T[c].prod(1), A.T[c].prod(1), fam - np.log(3 * 2 * len(subs)))
            if k == 5:
                signed(np.sign(G.T[c].sum(1)), np.sign(A.T[c].sum(1)), fam - np.log(2 * len(subs)))
    subs = list(combinations(range(24), 4))
    fams = [perms(negs(D)), perms(C), perms(E)]
    prior = np.concatenate([np.full(len(f), fam - np.log(len(f) * len(subs))) for f in fams])
    T = 1.0 - 2.0 * np.array(sum(fams, []))  # tables x 16
    T = T.astype(np.float32)
    # walsh expansion: table = sum of coefficients times products
    nt = len(T)
    for c in chunks(subs, 400):
        kg = ((G.T[c] < 0) * np.array([8, 4, 2, 1])[None, :, None]).sum(1)  # subs x n
        ka = ((A.T[c] < 0) * np.array([8, 4, 2, 1])[None, :, None]).sum(1)
        oh = (kg[:, None, :] == np.arange(16)[None, :, None]).astype(np.float32)  # subs,16,n
        cells = Y @ oh.reshape(-1, n).T  # R, subs*16
        s = cells.reshape(R * len(c), 16) @ T.T
        s = s.reshape(R, len(c) * nt)
        add(s, lambda j: T[j % nt][ka[j // nt]], np.tile(prior, len(c))[None])
    for r in range(R):
        l = np.array(logs[r])
        w = np.exp(l - l.max())
        vote[r] = w @ np.array(preds[r])
    found = (vote < 0).astype(int)
    Path("answers.json").write_text(json.dumps({"answers": ["".join(map(str, row)) for row in found.tolist()]}))
    print([len(f) for f in fams])


if __name__ == "__main__":
    main()
