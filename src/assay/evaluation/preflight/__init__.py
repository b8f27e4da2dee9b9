"""What is checked before a run begins, so that a mistake costs seconds and not hours or money."""

from __future__ import annotations

from assay.evaluation.preflight.checks import PreflightCheck, PreflightFailed
from assay.evaluation.preflight.sequence import check_before_run

__all__ = ["PreflightCheck", "PreflightFailed", "check_before_run"]
