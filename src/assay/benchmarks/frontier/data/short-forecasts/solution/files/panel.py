"""The series of a group in one table that ends at the last known step, as they are and on a bent scale."""

from dataclasses import dataclass

import numpy as np

AHEAD = 12
"""How many steps are forecast; a group may ask for fewer."""


@dataclass
class Panel:
    """The series of a group as rows, missing before their start, and what is known about the group."""

    values: np.ndarray
    marks: np.ndarray
    period: int
    phase: int
    horizon: int

    def __post_init__(self) -> None:
        present = ~np.isnan(self.values)
        self.members, self.length = self.values.shape
        self.count = present.sum(axis=1)
        self.start = self.length - self.count
        there = self.values[present]
        self.whole = bool((there == np.round(there)).all() and np.median(there) < 60 and there.min() >= 0)
        self.positive = bool(there.min() >= 0 and (there <= 0).mean() < 0.02 and not self.whole)
        self.mean = np.maximum(np.nanmean(np.abs(self.values), axis=1), 1e-9)
        self.median = np.maximum(np.nanmedian(np.abs(self.values), axis=1), 1e-9)
        self.scale = np.array([scale_of(series, self.period) for series in self.rows(self.values)])

    def rows(self, table: np.ndarray) -> list[np.ndarray]:
        """The part of each row that is there."""
        return [row[start:] for row, start in zip(table, self.start, strict=True)]

    def table(self, bent: bool) -> np.ndarray:
        """The values in units of their mean; bent ones are logarithms, or square roots of counts."""
        mean, median = self.mean[:, None], self.median[:, None]
        if bent and self.positive:
            return np.log(np.maximum(self.values, 0.02 * median) / median)
        if bent and self.whole:
            return np.sqrt(np.maximum(self.values, 0) / mean + 0.2 / mean)
        return self.values / mean

    def back(self, found: np.ndarray, bent: bool) -> np.ndarray:
        """Series x steps x levels in the units of the problem."""
        mean, median = self.mean[:, None, None], self.median[:, None, None]
        if bent and self.positive:
            return np.exp(np.clip(found, -12, 6)) * median
        if bent and self.whole:
            return np.maximum(np.maximum(found, 0) ** 2 * mean - 0.2, 0)
        return found * mean

    def group_mean(self, table: np.ndarray) -> np.ndarray:
        """The mean over the series, for each of them."""
        return np.broadcast_to(table.mean(axis=0), table.shape)


def scale_of(series: np.ndarray, period: int) -> float:
    """The mean change over a period, but not less than a part of the mean value."""
    return max(np.abs(series[period:] - series[:-period]).mean(), 1e-9 + 0.05 * np.abs(series).mean())


def panel_of(group: dict) -> Panel:
    """The panel of a group of the problem."""
    length = max(map(len, group["series"]))
    rows = [np.append(np.full(length - len(series), np.nan), series) for series in group["series"]]
    marks, known = np.zeros(length + AHEAD), group["marks"][: length + AHEAD]
    marks[: len(known)] = known
    return Panel(
        np.array(rows), marks, group["period"], (group["first"] + length) % group["period"], group["horizon"]
    )
