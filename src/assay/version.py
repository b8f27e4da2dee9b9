"""Assay's version, below every room that writes it into what it makes."""

__version__ = "0.3.0"
