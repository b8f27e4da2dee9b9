"""Intervals, tests and estimators; nothing here knows about logs."""
