"""The choice of a penalty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scaling import prepare
from tables import Table

from models import chance, fit_linear, fit_logistic, log_loss, squared_loss


def select(losses: np.ndarray, penalties: tuple[float, ...], rule: float) -> float:
    """The penalty for a table of losses, one line for each inner fold."""
    mean = losses.mean(axis=0)
    error = losses.std(axis=0, ddof=1) / np.sqrt(len(losses))
    best = int(np.argmin(mean))
    allowed = mean <= mean[best] + rule * error[best]
    return max(penalty for penalty, fits in zip(penalties, allowed, strict=True) if fits)


def losses_of(
    table: Table,
    rows: np.ndarray,
    folds: np.ndarray,
    target: np.ndarray,
    fit_and_rate: Callable[..., float],
) -> np.ndarray:
    """The loss of each penalty in each inner fold that has rows on both sides."""
    settings = table.settings
    lines = []
    for fold in range(settings.inner):
        train, test = rows[folds != fold], rows[folds == fold]
        if len(train) == 0 or len(test) == 0:
            continue
        prepared = prepare(table.covariates[train], table.has_gaps, settings.squares, settings.limit)
        before = prepared.columns(table.covariates[train])
        after = prepared.columns(table.covariates[test])
        lines.append(
            [
                fit_and_rate(
                    before,
                    target[train],
                    table.weight[train],
                    after,
                    target[test],
                    table.weight[test],
                    penalty,
                )
                for penalty in settings.penalties
            ]
        )
    return np.array(lines)


def choose_for_treatment(table: Table, rows: np.ndarray, folds: np.ndarray) -> float:
    """The penalty of the model of the treatment."""
    clip = table.settings.clip

    def rate(before, labels, weights, after, later, later_weights, penalty):
        fitted = chance(after, fit_logistic(before, labels, weights, penalty))
        return log_loss(later, np.clip(fitted, clip, 1.0 - clip), later_weights)

    losses = losses_of(table, rows, folds, table.treated, rate)
    return select(losses, table.settings.penalties, table.settings.rule)


def choose_for_outcome(table: Table, rows: np.ndarray, folds: np.ndarray, target: np.ndarray) -> float:
    """The penalty of a model of an outcome."""

    def rate(before, values, weights, after, later, later_weights, penalty):
        fitted = after @ fit_linear(before, values, weights, penalty)
        return squared_loss(later, fitted, later_weights)

    losses = losses_of(table, rows, folds, target, rate)
    return select(losses, table.settings.penalties, table.settings.rule)
