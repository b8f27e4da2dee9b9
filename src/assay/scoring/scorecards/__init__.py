"""Attempts added up into the tables that people read."""
