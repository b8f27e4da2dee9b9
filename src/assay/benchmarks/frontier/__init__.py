"""The frontier suite: hard tasks of our own, of all three kinds, which strong agents do not saturate."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
