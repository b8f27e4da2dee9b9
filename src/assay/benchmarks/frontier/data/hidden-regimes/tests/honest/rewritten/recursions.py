"""Recursions with logarithms, one function for all of them."""

from dataclasses import dataclass

import numpy as np

from model import log_densities, power


@dataclass
class Forward:
    filtered: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray

    @property
    def likelihood(self):
        return float(np.sum(self.scores))


def _log_sum(values, axis):
    peak = values.max(axis=axis, keepdims=True)
    return (peak + np.log(np.exp(values - peak).sum(axis=axis, keepdims=True))).squeeze(axis)


def _steps(model, series):
    return [np.log(power(model.transition, gap)) for gap in series.gaps]


def _forward_logs(model, series, temper):
    logs = temper * log_densities(model, series.values)
    joint = [np.log(model.initial) + logs[0]]
    for step, row in zip(_steps(model, series), logs[1:]):
        joint.append(_log_sum(joint[-1][:, None] + step, 0) + row)
    return np.array(joint), logs


def forward(model, series, temper=1.0):
    joint, logs = _forward_logs(model, series, temper)
    totals = _log_sum(joint, 1)
    before = np.concatenate([[0.0], totals[:-1]])
    return Forward(np.exp(joint - totals[:, None]), np.exp(joint - logs - before[:, None]), totals - before)


def _backward_logs(model, series, logs):
    later = [np.zeros(model.size)]
    for step, row in zip(reversed(_steps(model, series)), logs[:0:-1]):
        later.insert(0, _log_sum(step + (row + later[0])[None], 1))
    return np.array(later)


def smoothed_states(model, series, temper=1.0):
    joint, logs = _forward_logs(model, series, temper)
    both = joint + _backward_logs(model, series, logs)
    return np.exp(both - _log_sum(both, 1)[:, None])


def pair_states(model, series, temper=1.0):
    joint, logs = _forward_logs(model, series, temper)
    later = _backward_logs(model, series, logs)
    total = _log_sum(joint[-1], 0)
    return np.exp(
        np.array(
            [
                joint[row][:, None] + step + (logs[row + 1] + later[row + 1])[None] - total
                for row, step in enumerate(_steps(model, series))
            ]
        )
    )
