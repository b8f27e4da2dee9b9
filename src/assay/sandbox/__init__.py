"""Where untrusted code runs."""

from __future__ import annotations

from assay.sandbox.box import Box
from assay.sandbox.confinement import Confinement, Limits, Mount, Outcome
from assay.sandbox.engine import Engine, find_engine
from assay.sandbox.fresh import converse, run_confined

__all__ = ["Box", "Confinement", "Engine", "Limits", "Mount", "Outcome", "converse", "find_engine", "run_confined"]
