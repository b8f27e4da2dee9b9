"""Draws a chaotic ring of cells, and noisy records of it in shuffled order: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

CELLS, STEP, INSIDE = 10, 0.1, 4
RECORDED, WINDOWS, SEEN, AHEAD = 2500, 400, 8, 10
NOISE = 0.25


def slope(state, force, skew, damping):
    """How fast each cell changes: it is driven, damped, and carried along by its neighbours."""
    left, farther, right = np.roll(state, 1, -1), np.roll(state, 2, -1), np.roll(state, -1, -1)
    return (right - farther) * left + skew * (left - right) - damping * state + force


def move(state, *settings):
    """The state one recorded step later."""
    size = STEP / INSIDE
    for _ in range(INSIDE):
        first = slope(state, *settings)
        second = slope(state + size / 2 * first, *settings)
        third = slope(state + size / 2 * second, *settings)
        fourth = slope(state + size * third, *settings)
        state = state + size / 6 * (first + 2 * second + 2 * third + fourth)
    return state


def knowing_forecast(windows, settings):
    """The forecast of one who knows the equation: the start that explains the window best, moved on."""
    state = windows[:, 0].copy()
    for _ in range(5):
        paths = []
        for nudge in [np.zeros(CELLS), *(1e-4 * np.eye(CELLS))]:
            path = [state + nudge]
            for _ in range(SEEN - 1):
                path.append(move(path[-1], *settings))
            paths.append(np.stack(path, axis=1).reshape(WINDOWS, -1))
        slopes = np.stack([(path - paths[0]) / 1e-4 for path in paths[1:]], axis=-1)
        left = windows.reshape(WINDOWS, -1) - paths[0]
        inside = slopes.transpose(0, 2, 1) @ slopes + 0.01 * np.eye(CELLS)
        state = state + np.linalg.solve(inside, slopes.transpose(0, 2, 1) @ left[..., None])[..., 0]
    for _ in range(SEEN - 1 + AHEAD):
        state = move(state, *settings)
    return state


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    settings = random.uniform(6.0, 10.0, CELLS), random.uniform(-0.8, 0.8), random.uniform(0.8, 1.2)
    state = random.normal(0.0, 1.0, (WINDOWS + 1, CELLS)) + 3.0
    for _ in range(80):
        state = move(state, *settings)
    series = [state[0]]
    for _ in range(RECORDED - 1):
        series.append(move(series[-1], *settings))
    seen = [state[1:]]
    for _ in range(SEEN + AHEAD - 1):
        seen.append(move(seen[-1], *settings))
    series, seen = np.array(series), np.array(seen).transpose(1, 0, 2)
    noisy = seen[:, :SEEN] + random.normal(0.0, NOISE, (WINDOWS, SEEN, CELLS))
    record = series + random.normal(0.0, NOISE, series.shape)
    known, later = knowing_forecast(noisy, settings), seen[:, -1]
    skills = np.maximum(-1.0, 1.0 - np.sqrt(((known - later) ** 2).mean(axis=1)) / series.std())
    order = random.permutation(CELLS)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"record": record[:, order].round(2).tolist(), "windows": noisy[..., order].round(2).tolist(), "ahead": AHEAD}
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    truth = {"later": later[:, order].round(3).tolist(), "spread": float(series.std()), "judge": skills.round(5).tolist()}
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
