"""Standard units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from series import Panel, Series


@dataclass(frozen=True)
class Scale:
    """Mean and standard deviation of each dimension."""

    mean: np.ndarray
    deviation: np.ndarray

    def apply(self, series: Series) -> Series:
        """The series in standard units."""
        return replace(series, values=(series.values - self.mean) / self.deviation)

    def undo_mean(self, values: np.ndarray) -> np.ndarray:
        """Means in the units of the data."""
        return values * self.deviation + self.mean

    def undo_variance(self, values: np.ndarray) -> np.ndarray:
        """Variances in the units of the data."""
        return values * self.deviation**2


def scale_of(panel: Panel) -> Scale:
    """The scale of a study."""
    pooled = np.vstack([series.values for series in panel.training])
    return Scale(np.nanmean(pooled, axis=0), np.nanstd(pooled, axis=0))


def standardised(panel: Panel, scale: Scale) -> Panel:
    """All series in standard units."""
    return replace(
        panel,
        training=[scale.apply(series) for series in panel.training],
        held=[scale.apply(series) for series in panel.held],
    )
