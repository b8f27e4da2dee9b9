"""The demo suite: twelve tasks of our own, of all three kinds, graded only by running code."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
