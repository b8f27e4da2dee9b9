"""Why a task can be believed: what is known to be right passes, what is known to be wrong fails."""

from assay.certify.proof import certify

__all__ = ["certify"]
