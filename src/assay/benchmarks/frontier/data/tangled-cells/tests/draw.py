"""Draws small systems of cells with noisy windows of them, in shuffled order: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth has the later
states without noise and the skill of the best known program, which is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from measure import skills  # noqa: E402
from solve import forecasts_of  # noqa: E402

CELLS, STEP, INSIDE = 10, 0.1, 4
SYSTEMS, WINDOWS, SEEN, AHEAD = 20, 4, 10, (4, 8, 12)
FREEDOM = 2.5


def slope(state, force, carry, skew, damping, bridge):
    """How fast each cell changes: driven, damped, carried by neighbours, pulled to the opposite."""
    left, farther, right = np.roll(state, 1, -1), np.roll(state, 2, -1), np.roll(state, -1, -1)
    pulled = bridge * (np.roll(state, CELLS // 2, -1) - state)
    return carry * (right - farther) * left + skew * (left - right) - damping * state + force + pulled


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


def draw_system(habits, random):
    """The paths of all windows of one system; all systems share habits of the cells."""
    force = np.exp(random.normal(np.log(4.5), 0.2) + habits + random.normal(0.0, 0.15, CELLS))
    carry, damping = np.exp(random.normal(0.0, 0.2)), np.exp(random.normal(-0.1, 0.2))
    skew = (random.random() < 0.5) * random.choice([-1.0, 1.0]) * random.gamma(2.0, 0.5)
    bridge = (random.random() < 0.4) * random.gamma(2.0, 0.3)
    state = random.normal(0.0, 1.0, (WINDOWS, CELLS)) + 3.0
    path = []
    for _ in range(80 + SEEN + max(AHEAD)):
        state = move(state, force, carry, skew, damping, bridge)
        path.append(state)
    return np.array(path[80:]).transpose(1, 0, 2)


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    habits, order = random.normal(0.0, 0.4, CELLS), random.permutation(CELLS)
    windows, later, spreads = [], [], []
    while len(windows) < SYSTEMS:
        path = draw_system(habits, random)[..., order]
        noise = 0.9 * np.exp(random.normal(0.0, 0.3)) * random.standard_t(FREEDOM, (WINDOWS, SEEN, CELLS))
        if path[:, :SEEN].std() > 1.5:
            windows.append((path[:, :SEEN] + noise).round(2).tolist())
            later.append(path[:, [SEEN - 1 + steps for steps in AHEAD]].round(3).tolist())
            spreads.append(round(float(path[:, :SEEN].std()), 4))
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"windows": windows, "ahead": list(AHEAD)}
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    truth = {"later": later, "spreads": spreads}
    truth["known"] = skills(forecasts_of(problem), truth)
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
