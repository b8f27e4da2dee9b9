"""Proof that a task is sound: what is known to be right passes, what is known to be wrong fails."""

from assay.certification.proof import certify
from assay.certification.writing import write_certificates

__all__ = ["certify", "write_certificates"]
