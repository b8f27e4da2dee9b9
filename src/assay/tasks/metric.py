"""One number that a run writes, with its tolerance."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from assay.rules.numbers import centre, prediction_half_width, within


class Strict(BaseModel):
    """A frozen model that refuses unknown keys and silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Metric(Strict):
    """One number that a run writes, and how far it may stand from gold."""

    name: str
    """What the number is called in verdicts and tables."""
    path: str
    """Where it stands in the results file: keys and list indices joined by dots."""
    absolute: float = Field(default=0.0, ge=0)
    """Allowed distance, in the metric's own unit."""
    relative: float = Field(default=0.0, ge=0)
    """Allowed distance as a share of |gold|, added to the absolute one."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Confidence of the prediction interval of repeated gold runs, which counts where it is wider."""

    def tolerance(self, gold: Sequence[float]) -> float:
        """The written tolerance, or the prediction interval of repeated gold runs where that is wider."""
        written = self.absolute + self.relative * abs(centre(gold))
        return max(written, prediction_half_width(gold, self.confidence))

    def agrees(self, gold: Sequence[float], number: float) -> bool:
        """Whether a re-made number is gold's, within tolerance; NaN agrees only with NaN."""
        return within(number, centre(gold), self.tolerance(gold))
