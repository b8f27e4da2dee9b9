"""Analyses each study alone: lives follow Weibull's law, and shape and level are integrated out."""

from __future__ import annotations

import numpy as np

MARGIN = 12.0
AGE = 100.0
SHAPES = np.exp(np.linspace(np.log(0.4), np.log(6.0), 160))
DRAWS = 4000

Found = tuple[float, float, float]


def view_of(rows: list[dict[str, str]], make: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Age at both ends of the time in view, in units of the age, and whether the pump failed then."""
    own = [row for row in rows if row["make"] == make]
    begin = np.array([float(row["taken_over"]) for row in own]) / AGE
    end = np.array([float(row["last_age"]) for row in own]) / AGE
    return begin, end, np.array([row["failed"] == "1" for row in own])


def chances_of(rows: list[dict[str, str]], make: str, source: np.random.Generator) -> np.ndarray:
    """Draws of the chance to reach the age.

    With a given shape, the hazard up to the age has a gamma distribution: failures over bent time in view.
    """
    begin, end, failed = view_of(rows, make)
    failures = int(failed.sum())
    time = (end[:, None] ** SHAPES - begin[:, None] ** SHAPES).sum(axis=0)
    weights = failures * np.log(SHAPES) + (SHAPES - 1) * np.log(end[failed]).sum() - failures * np.log(time)
    shares = np.cumsum(np.exp(weights - weights.max()))
    places = np.searchsorted(shares / shares[-1], (np.arange(DRAWS) + 0.5) / DRAWS)
    chances: np.ndarray = np.exp(-source.gamma(failures, 1.0, DRAWS) / time[places])
    return chances


def analyse(rows: list[dict[str, str]]) -> Found | None:
    source = np.random.default_rng(1)
    oak, elm = (source.permutation(chances_of(rows, make, source)) for make in ("oak", "elm"))
    effects = 100 * (elm - oak)
    low, high = np.quantile(effects, (0.025, 0.975))
    return float(effects.mean()), float(low), float(high)
