"""Maximum likelihood with a model for each signal: uniform, Laplace, changing volume, AR(2). Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
import time
from pathlib import Path

import numpy as np

T = 500
PHI, SDH = float(os.environ.get("PHI", "0.97")), float(os.environ.get("SDH", "1.1"))
BUDGET = float(os.environ.get("BUDGET", "26"))
EPS = float(os.environ.get("EPS", "0.12"))
TRIES = int(os.environ.get("TRIES", "3"))
TOP = float(os.environ.get("TOP", "110"))


def volume_setup(phi, sd):
    q = sd * sd * (1 - phi * phi)
    P = np.zeros((T, T))
    i = np.arange(T)
    P[i, i] = (1 + phi * phi) / q
    P[0, 0] = P[-1, -1] = 1 / q
    P[i[1:], i[:-1]] = P[i[:-1], i[1:]] = -phi / q
    A = P + (0.5 if SV == 'g' else 1.0) * np.eye(T)
    return P, np.linalg.inv(A), 0.5 * (np.linalg.slogdet(P)[1] - np.linalg.slogdet(A)[1])


SV = os.environ.get("SV", "g")
VP, VB, VD = volume_setup(PHI, SDH * (2 if SV == 'g' else 1))
ONE = VB @ (VP @ np.ones(T))


def volume(s, h, steps):
    """MAP of the log scale h of a Laplace density (Fisher scoring); returns h, approximate log likelihood."""
    s1 = np.abs(s) + 1e-6
    if h is None:
        k = np.exp(-np.abs(np.arange(-30, 31)) / 8.0)
        h = np.log(np.convolve(s1, k / k.sum(), "same") + 1e-2)
    if SV == "g":
        s2 = s1 * s1
        for _ in range(steps):
            g = 0.5 * (s2 * np.exp(-h) - 1) - VP @ (h - h.mean())
            d = VB @ g
            h = h + d * min(1.0, 1.5 / np.abs(d).max())
        z = h - h.mean()
        return h, -0.5 * (np.log(2 * np.pi) + h + s2 * np.exp(-h)).sum() - 0.5 * z @ (VP @ z) + VD
    for _ in range(steps):
        mu = h.mean()
        g = s1 * np.exp(-h) - 1 - VP @ (h - mu)
        d = VB @ g
        h = h + d * min(1.0, 1.0 / np.abs(d).max())
    mu = h.mean()
    z = h - mu
    ll = -(np.log(2) + h + s1 * np.exp(-h)).sum() - 0.5 * z @ (VP @ z) + VD
    return h, ll


def autoreg(s):
    a, b, c = s[2:], s[1:-1], s[:-2]
    M = np.array([[b @ b, b @ c], [b @ c, c @ c]])
    co = np.linalg.solve(M, [a @ b, a @ c])
    r = a - co[0] * b - co[1] * c
    v = r @ r / len(r)
    return co, v, -0.5 * T * (np.log(2 * np.pi * v) + 1)


def uniform_row(w, X, v, p, steps=6):
    """min sum |w x - c|^p with w.v = 1, Newton from w; X has a last row of ones for c."""
    Z = X
    d = len(w)
    for _ in range(steps):
        s = w @ Z
        m = np.abs(s).max()
        u = s / m
        a = np.abs(u) ** (p - 2)
        H = (Z * a) @ Z.T * (p - 1)
        g = Z @ (a * u) * m
        H += 1e-9 * np.trace(H) / d * np.eye(d)
        # Newton with constraint v.dw = 0
        K = np.zeros((d + 1, d + 1))
        K[:d, :d] = H
        K[:d, d] = K[d, :d] = v
        step = np.linalg.solve(K, np.r_[-g, 0])[:d]
        f0 = np.log(m) + np.log((np.abs(u) ** p).mean()) / p
        t = 1.0
        while t > 1e-3:
            n = w + t * step
            s = n @ Z
            m2 = np.abs(s).max()
            if np.log(m2) + np.log((np.abs(s / m2) ** p).mean()) / p < f0:
                w = n
                break
            t *= 0.5
        else:
            break
    return w


def run(X, W, sweeps, hs=None, final=False):
    n = len(W)
    Z1 = np.vstack([X, np.ones(T)])
    hs = [None] * n
    kinds = [None] * n
    lls = np.zeros(n)
    cs = np.zeros(n)
    for sweep in range(sweeps):
        check = sweep % 5 == 0 or sweep == sweeps - 1
        for k in range(n):
            s = W[k] @ X
            sd = s.std()
            W[k] /= sd
            s = s / sd
            if check or kinds[k] is None:
                co, v, l_ar = autoreg(s)
                b = np.abs(s).mean()
                l_la = -T * (np.log(2 * b) + 1)
                l_un = -T * np.log(s.max() - s.min())
                # soft uniform early on: count range by quantiles
                if sweep < 10:
                    q = np.quantile(s, [0.02, 0.98])
                    l_un = max(l_un, -T * np.log((q[1] - q[0]) / 0.96) - 0.04 * T)
                hs[k], l_sv = volume(s, hs[k], 12 if hs[k] is None else 4)
                ls = [l_un, l_la, l_sv, l_ar]
                kinds[k] = int(np.argmax(ls))
                lls[k] = max(ls)
            kind = kinds[k]
            if kind == 0:
                Vv = np.linalg.inv(W)[:, k]
                w = W[k] / (W[k] @ Vv)
                c = -0.5 * ((w @ X).max() + (w @ X).min())
                p = min(8 * 1.25**sweep, TOP)
                w = uniform_row(np.r_[w, c], Z1, np.r_[Vv, 0.0], p, 3)
                W[k] = w[:n]
                continue
            if kind == 1:
                q = 1 / (np.abs(s) + EPS)
                C = (X * q) @ X.T / T
            elif kind == 2:
                hs[k], _ = volume(s, hs[k], 2)
                e = np.exp(hs[k])
                C = (X / e) @ X.T / T if SV == 'g' else (X / (e * (np.abs(s) + EPS * e))) @ X.T / T
            else:
                co, v, _ = autoreg(s)
                F = X[:, 2:] - co[0] * X[:, 1:-1] - co[1] * X[:, :-2]
                C = F @ F.T / (T * v)
            w = np.linalg.solve(W @ C, np.eye(n)[k])
            w /= np.sqrt(w @ C @ w)
            if w @ X @ s < 0:
                w = -w
            W[k] = w
    for k in range(n):
        W[k] /= (W[k] @ X).std()
    total = lls.sum() + T * np.linalg.slogdet(W)[1]
    return W, total, kinds


def fast(X, rs, g):
    n = len(X)
    U = np.linalg.qr(rs.normal(size=(n, n)))[0]
    for _ in range(g):
        b = np.tanh(U @ X)
        U = b @ X.T / T - (1 - b * b).mean(1)[:, None] * U
        l, _, r = np.linalg.svd(U)
        U = l @ r
    return U


def main():
    rs = np.random.default_rng(1)
    mixed = [np.array(m) for m in json.loads(Path("problem.json").read_text())["mixed"]]
    data = []
    for M in mixed:
        M = M - M.mean(1, keepdims=True)
        val, vec = np.linalg.eigh(np.cov(M))
        data.append((vec / np.sqrt(val)).T @ M)
    best = [None] * len(data)
    info = [[] for _ in data]
    tries = 0
    while True:
        for i, X in enumerate(data):
            if tries and time.process_time() > BUDGET * 0.75:
                break
            W = fast(X, rs, 30 if tries % 2 == 0 else 5)
            W, ll, kinds = run(X, W, 30)
            info[i].append(round(ll, 1))
            if best[i] is None or ll > best[i][0]:
                best[i] = (ll, W, kinds)
        tries += 1
        if tries >= TRIES or time.process_time() > BUDGET * 0.75:
            break
    out = []
    for i, X in enumerate(data):
        W, ll, kinds = run(X, best[i][1].copy(), 40)
        out.append((W @ X).round(4).tolist())
        if len(sys.argv) > 1:
            from measure import cleanness
            S = np.array(json.loads(Path("examples/1/truth.json").read_text())["signals"])[i]
            Wt = np.linalg.lstsq(X.T, S.T, rcond=None)[0].T
            lt, kt, Wf = 0, [], Wt
            print(i, info[i], round(ll, 1), sorted(kinds), round(cleanness(W @ X, S), 2), "from truth", round(lt, 1), sorted(kt), round(cleanness(Wf @ X, S), 2), flush=True)
    print(sum(b[0] for b in best), tries, time.process_time(), file=sys.stderr)
    Path("answers.json").write_text(json.dumps({"signals": out}))


if __name__ == "__main__":
    main()
