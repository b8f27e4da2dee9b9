"""Columns of the models, one covariate at a time."""

import statistics

import numpy as np


class Covariate:
    """One covariate, as learned from some rows."""

    def __init__(self, values):
        observed = [float(value) for value in values if value == value]
        self.substitute = statistics.median_low(observed)
        self.mean = sum(observed) / len(observed)
        self.deviation = statistics.stdev(observed) if min(observed) < max(observed) else 1.0

    def scaled(self, values, limit):
        whole = np.where(np.isnan(values), self.substitute, values)
        return np.minimum(np.maximum((whole - self.mean) / self.deviation, -limit), limit)


class Preparation:
    """All covariates."""

    def __init__(self, covariates, gaps, squares, limit):
        self.parts = [Covariate(column) for column in covariates.T]
        self.gaps, self.squares, self.limit = gaps, squares, limit

    def columns(self, covariates):
        scaled = [part.scaled(column, self.limit) for part, column in zip(self.parts, covariates.T)]
        flags = [np.isnan(column) * 1.0 for column, gap in zip(covariates.T, self.gaps) if gap]
        squared = [column * column for column in scaled[: self.squares]]
        return np.column_stack([np.ones(len(covariates)), *scaled, *squared, *flags])


def fill(values, substitutes):
    return np.where(np.isnan(values), substitutes, values)


def prepare(covariates, gaps, squares, limit):
    return Preparation(covariates, gaps, squares, limit)
