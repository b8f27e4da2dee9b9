"""Proof that a task is sound: what is known to be right passes, what is known to be wrong fails."""

from assay.certification.proof import certify

__all__ = ["certify"]
