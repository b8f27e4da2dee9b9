"""Columns as numbers from 0 to 1, and their types."""
import numpy as np

TYPES = ["log", "two", "whole", "real", "category"]


def columns(problem):
    """(rows, columns) in 0..1 (categories as numbers) and the type of each column."""
    X = np.array(problem["rows"], float)
    U, types = np.zeros_like(X), []
    for j, kind in enumerate(problem["kinds"]):
        c = X[:, j]
        if kind == "category":
            U[:, j] = c
            types.append(4)
            continue
        if kind == "log":
            l = np.log2(c)
            types.append(1 if len(np.unique(c)) <= 12 and np.abs(l - np.round(l)).max() < 0.02 else 0)
            c = l
        else:
            types.append(2 if kind == "whole" else 3)
        U[:, j] = (c - c.min()) / (c.max() - c.min() + 1e-12)
    return U, np.array(types)


def warp(regret):
    """Regrets beyond 1 count less."""
    return np.where(regret < 1, regret, 1 + 0.5 * np.log1p(np.maximum(regret - 1, 0)))
