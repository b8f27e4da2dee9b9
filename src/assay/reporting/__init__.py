"""What people see: tables for the terminal, and one self-contained HTML file."""

from assay.reporting.html import build, render, write
from assay.reporting.tables import csv, json, markdown
from assay.reporting.terminal import terminal

__all__ = ["build", "csv", "json", "markdown", "render", "terminal", "write"]
