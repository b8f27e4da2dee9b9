"""How far a judge can be believed: items whose verdict is known, put to it as grading would."""

from assay.grading.judge.calibration.labelled import Labelled, load_labelled, spread_out
from assay.grading.judge.calibration.measuring import Judged, measure

__all__ = ["Judged", "Labelled", "load_labelled", "measure", "spread_out"]
