"""Weibull's law by maximum likelihood, with each pump at risk only while it is in view; the interval by the delta method."""

from __future__ import annotations

import math

import numpy as np

MARGIN = 12.0
AGE = 100.0

Found = tuple[float, float, float]


def fit(rows: list[dict[str, str]], make: str) -> tuple[float, float]:
    """The chance to reach the age, and its variance."""
    own = [row for row in rows if row["make"] == make]
    begin = np.maximum(np.array([float(row["taken_over"]) for row in own]) / AGE, 1e-9)
    end = np.array([float(row["last_age"]) for row in own]) / AGE
    failed = np.array([row["failed"] == "1" for row in own])
    failures, shape = int(failed.sum()), 1.8
    for _ in range(50):
        time, first, second = (
            float((end**shape * np.log(end) ** power - begin**shape * np.log(begin) ** power).sum()) for power in range(3)
        )
        slope = failures / shape + float(np.log(end[failed]).sum()) - failures * first / time
        bend = -failures / shape**2 - failures * (second / time - (first / time) ** 2)
        shape = min(max(shape - slope / bend, 0.3), 8.0)
    hazard = failures / time
    information = [[hazard * time, hazard * first], [hazard * first, failures / shape**2 + hazard * second]]
    chance = math.exp(-hazard)
    return chance, (chance * hazard) ** 2 * float(np.linalg.inv(np.array(information))[0, 0])


def analyse(rows: list[dict[str, str]]) -> Found | None:
    (oak, oak_variance), (elm, elm_variance) = fit(rows, "oak"), fit(rows, "elm")
    half = 196 * math.sqrt(oak_variance + elm_variance)
    estimate = 100 * (elm - oak)
    return estimate, estimate - half, estimate + half
