"""Attempts read from Inspect logs, and what is odd about the logs."""
