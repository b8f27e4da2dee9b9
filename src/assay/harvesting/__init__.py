"""Turns a list of packages into one suite of certified masked tasks."""
