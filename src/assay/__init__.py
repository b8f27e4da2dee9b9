"""Assay measures whether an AI agent can do machine-learning research."""

__version__ = "0.1.0"
