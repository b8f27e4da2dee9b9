"""Finds the ring, fits its equation to the record, fits the start of each window, and runs on. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations
from pathlib import Path

import numpy as np

STEP, INSIDE, NUDGE = 0.1, 2, 1e-4


def find_ring(record):
    """The order of the cells in the ring, and rough settings, from a regression of slopes on products."""
    smooth = (-3 * record[:-4] + 12 * record[1:-3] + 17 * record[2:-2] + 12 * record[3:-1] - 3 * record[4:]) / 35
    slopes = (record[:-4] - 8 * record[1:-3] + 8 * record[3:-1] - record[4:]) / (12 * STEP)
    cells = record.shape[1]
    pairs = list(combinations(range(cells), 2))
    inputs = [np.ones(len(smooth)), *smooth.T, *(smooth[:, one] * smooth[:, two] for one, two in pairs)]
    weights = np.linalg.lstsq(np.column_stack(inputs), slopes, rcond=None)[0][1 + cells :]
    left = {}
    for cell in range(cells):
        up, down = pairs[weights[:, cell].argmax()], pairs[weights[:, cell].argmin()]
        common = set(up) & set(down)
        left[cell] = common.pop() if common else None
    order = [0]
    while len(order) < cells:
        order.append(left[order[-1]])
    return order[::-1]


def slope(state, settings):
    """How fast each cell changes; settings are the force of each cell, the skew and the damping."""
    left, farther, right = np.roll(state, 1, -1), np.roll(state, 2, -1), np.roll(state, -1, -1)
    return (right - farther) * left + settings[-2] * (left - right) - settings[-1] * state + settings[:-2]


def move(state, settings):
    """One recorded step by the method of Runge and Kutta."""
    size = STEP / INSIDE
    for _ in range(INSIDE):
        first = slope(state, settings)
        second = slope(state + size / 2 * first, settings)
        third = slope(state + size / 2 * second, settings)
        fourth = slope(state + size * third, settings)
        state = state + size / 6 * (first + 2 * second + 2 * third + fourth)
    return np.clip(state, -60, 60)


def run(state, settings, steps):
    """All states of some steps, in one row for each start."""
    path = [state]
    for _ in range(steps - 1):
        path.append(move(path[-1], settings))
    return np.stack(path, axis=1).reshape(len(state), -1)


def start_slopes(state, settings, steps):
    """The paths, and how they change with each cell of the start."""
    base = run(state, settings, steps)
    nudged = [run(state + NUDGE * row, settings, steps) for row in np.eye(state.shape[1])]
    return base, np.stack([(path - base) / NUDGE for path in nudged], axis=-1)


def starts(windows, settings, rounds, state=None):
    """The first state of each window that explains all its noisy states best."""
    state = windows[:, 0].copy() if state is None else state
    for _ in range(rounds):
        base, slopes = start_slopes(state, settings, windows.shape[1])
        across = slopes.transpose(0, 2, 1)
        left = windows.reshape(len(windows), -1) - base
        inside = across @ slopes + 0.01 * np.eye(windows.shape[2])
        state = state + np.linalg.solve(inside, across @ left[..., None])[..., 0]
    return state


def fit(record, settings, size, rounds):
    """Settings and starts of short pieces together, so that noise does not bias the settings."""
    cells = record.shape[1]
    pieces = record[: len(record) // size * size].reshape(-1, size, cells)
    state = starts(pieces, settings, 2)
    for _ in range(rounds):
        base, slopes = start_slopes(state, settings, size)
        across = slopes.transpose(0, 2, 1)
        nudges = NUDGE * np.eye(len(settings))
        more = np.stack([(run(state, settings + nudge, size) - base) / NUDGE for nudge in nudges], axis=-1)
        left = pieces.reshape(len(pieces), -1, 1) - base[..., None]
        inside = across @ slopes + 0.01 * np.eye(cells)
        both = np.linalg.solve(inside, across @ np.concatenate([more, left], axis=-1))
        free = np.concatenate([more, left], axis=-1) - slopes @ both
        matrix = (more.transpose(0, 2, 1) @ free).sum(axis=0)
        change = np.linalg.solve(matrix[:, :-1] + 1e-6 * np.eye(len(settings)), matrix[:, -1])
        settings = settings + np.clip(change, -0.5, 0.5)
        state = state + both[..., -1] - both[..., :-1] @ change
    return settings


def main():
    problem = json.loads(Path("problem.json").read_text())
    record, windows = np.array(problem["record"]), np.array(problem["windows"])
    order = find_ring(record)
    record, windows = record[:, order], windows[..., order]
    settings = np.array([8.0] * len(order) + [0.0, 1.0])
    settings = fit(record, settings, 3, 3)
    settings = fit(record, settings, 6, 3)
    state = starts(windows, settings, 5)
    later = np.empty_like(windows[:, 0])
    later[:, order] = run(state, settings, windows.shape[1] + problem["ahead"])[:, -len(order) :]
    Path("answers.json").write_text(json.dumps({"later": later.round(3).tolist()}))


if __name__ == "__main__":
    main()
