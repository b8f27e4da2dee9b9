"""Finds other copies of a masked function: near copies in code, archives, encoded text, compiled files."""
