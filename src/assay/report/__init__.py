"""What people see: tables for the terminal, and one self-contained HTML file."""

from assay.report.html import build, render, write
from assay.report.tables import csv, json, markdown
from assay.report.terminal import terminal

__all__ = ["build", "csv", "json", "markdown", "render", "terminal", "write"]
