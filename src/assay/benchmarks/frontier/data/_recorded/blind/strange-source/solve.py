"""Hidden-mode log-linear model of six lags with matrices shared by the sources; mean over several starts."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import time
from pathlib import Path

import numpy as np

import model


def odds_of(S, log=None):
    found, ll = [], []
    begin = time.process_time()
    for seed, lam in enumerate((30.0, 25.0, 30.0, 25.0, 25.0)):
        p, _, l = model.run(S, K=2, its=115, lr=0.07, lamU=1.0, lamD=lam, seed=seed)
        found.append(p)
        ll.append(l)
        if log:
            log(seed, p, l.sum())
        used = time.process_time() - begin
        if used * (seed + 2) / (seed + 1) > 17.5:
            break
    ll = np.array(ll)
    w = np.exp(0.05 * (ll - ll.max(0)))
    w /= w.sum(0)
    p = np.einsum("ks,ksnc->snc", w, np.array(found))
    return p / p.sum(-1, keepdims=True)


def main():
    sources = json.loads(Path("problem.json").read_text())["sources"]
    S = [[np.array(list(map(int, t))) for t in s] for s in sources]
    p = odds_of(S).round(6)
    Path("answers.json").write_text(json.dumps({"odds": p.tolist()}))


if __name__ == "__main__":
    main()
