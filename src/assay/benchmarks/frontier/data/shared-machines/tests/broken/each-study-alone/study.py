"""Analyses each study alone: compares kernels within machines and states, with a noise for each machine."""

from __future__ import annotations

import math

import numpy as np
from linear import Fit

MARGIN = 3.0
STEPS = np.linspace(-7.0, 7.0, 141)
SCALES = np.exp(np.linspace(-5.0, 1.0, 9))
ALIKE = (0.4, 1.2, 4.0, 15.0, 60.0)
"""How much the noises of machines have in common, as numbers of runs."""

Found = tuple[float, float, float]
Table = list[dict[str, str]]


def usual_fit(rows: Table) -> Fit:
    """Least squares with one noise for all machines; ZeroDivisionError if nothing overlaps."""
    machines = sorted({row["machine"] for row in rows})
    x = []
    for row in rows:
        places = [float(row["machine"] == machine) for machine in machines]
        x.append([float(row["kernel"] == "new"), float(row["state"] == "cold"), *places])
    return Fit(x, [float(row["seconds"]) for row in rows])


def squares_of(rows: Table, effects: np.ndarray, colds: np.ndarray) -> np.ndarray:
    """The sum of squares within one machine for each effect of the kernel and of the state."""
    columns = [
        [float(row["seconds"]) for row in rows],
        [float(row["kernel"] == "new") for row in rows],
        [float(row["state"] == "cold") for row in rows],
    ]
    apart = np.array(columns) - np.mean(columns, axis=1, keepdims=True)
    moments = apart @ apart.T
    weights = np.stack([np.ones_like(effects * colds), -effects + 0 * colds, -colds + 0 * effects])
    squares: np.ndarray = np.einsum("i...,ij,j...->...", weights, moments, weights)
    return squares


def analyse(rows: Table) -> Found | None:
    try:
        usual = usual_fit(rows)
    except ZeroDivisionError:
        return None
    first = [float(place == 0) for place in range(len(usual.coefficients))]
    second = [float(place == 1) for place in range(len(usual.coefficients))]
    effects = usual.coefficients[0] + usual.error(first) * STEPS[:, None]
    colds = usual.coefficients[1] + usual.error(second) * STEPS[None, ::4]
    typical = sum(residual**2 for residual in usual.residuals) / usual.freedom
    groups = [[row for row in rows if row["machine"] == name] for name in sorted({row["machine"] for row in rows})]
    counts = np.array([len(group) for group in groups])
    squares = np.stack([squares_of(group, effects, colds) for group in groups])
    return posterior(effects[:, 0], squares, counts, typical)


def posterior(effects: np.ndarray, squares: np.ndarray, counts: np.ndarray, typical: float) -> Found:
    """Mean and central 95% of the effect, over all noises of the machines and over how much these have in common."""
    logs = []
    for runs in ALIKE:
        for scale in SCALES * typical:
            prior = runs / 2 * np.log(runs * scale / 2) - math.lgamma(runs / 2)
            powers = (runs + counts - 1) / 2
            constant = len(counts) * prior + sum(math.lgamma(power) for power in powers)
            logs.append(constant - np.einsum("m,mij->ij", powers, np.log((runs * scale + squares) / 2)))
    stacked = np.array(logs)
    density = np.exp(stacked - stacked.max()).sum(axis=(0, 2))
    shares = np.cumsum(density) - density / 2
    low, high = np.interp((0.025, 0.975), shares / density.sum(), effects)
    return float(density @ effects / density.sum()), float(low), float(high)
