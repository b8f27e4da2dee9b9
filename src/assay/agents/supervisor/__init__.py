"""A supervisor that plans, watches and re-plans, with workers that act on one step at a time and report."""

from assay.agents.supervisor.lead import supervisor_solver

__all__ = ["supervisor_solver"]
