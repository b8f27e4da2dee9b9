"""Predictions for each row from models that have not seen its fold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from folds import inner_folds, outer_folds
from scaling import Preparation, prepare
from tables import Table
from tuning import choose_for_outcome, choose_for_treatment

from models import chance, fit_linear, fit_logistic


@dataclass
class Nuisance:
    """Models of one study; choices and predictions that several analyses share are made once."""

    table: Table
    _propensities: dict[int, np.ndarray] = field(default_factory=dict)
    _penalties: dict[tuple, float] = field(default_factory=dict)

    def parts(self, repeat: int):
        """For each fold: its number, its training rows and its own rows."""
        folds = outer_folds(self.table, repeat)
        for fold in range(self.table.settings.folds):
            yield fold, np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)

    def preparation(self, rows: np.ndarray) -> Preparation:
        """What the models of a fold learn about the covariates."""
        settings = self.table.settings
        return prepare(self.table.covariates[rows], self.table.has_gaps, settings.squares, settings.limit)

    def propensity(self, repeat: int) -> np.ndarray:
        """The probability of treatment of each row, between the clipping bounds."""
        if repeat not in self._propensities:
            self._propensities[repeat] = self._fit_propensity(repeat)
        return self._propensities[repeat]

    def _fit_propensity(self, repeat: int) -> np.ndarray:
        table, settings = self.table, self.table.settings
        fitted = np.empty(len(table))
        for fold, train, test in self.parts(repeat):
            inner = inner_folds(table, train, repeat, fold)
            penalty = choose_for_treatment(table, train, inner)
            prepared = self.preparation(train)
            model = fit_logistic(
                prepared.columns(table.covariates[train]), table.treated[train], table.weight[train], penalty
            )
            fitted[test] = chance(prepared.columns(table.covariates[test]), model)
        return np.clip(fitted, settings.clip, 1.0 - settings.clip)

    def outcome(self, repeat: int, arm: int, name: str) -> np.ndarray:
        """The expected value of an outcome of each row, had it been in this arm."""
        table = self.table
        target = getattr(table, name)
        fitted = np.empty(len(table))
        for fold, train, test in self.parts(repeat):
            inner = inner_folds(table, train, repeat, fold)
            mine = table.treated[train] == arm
            key = (repeat, fold, arm, name)
            if key not in self._penalties:
                self._penalties[key] = choose_for_outcome(table, train[mine], inner[mine], target)
            prepared = self.preparation(train)
            rows = train[mine]
            model = fit_linear(
                prepared.columns(table.covariates[rows]),
                target[rows],
                table.weight[rows],
                self._penalties[key],
            )
            fitted[test] = prepared.columns(table.covariates[test]) @ model
        return fitted
