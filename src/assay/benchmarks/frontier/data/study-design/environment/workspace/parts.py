"""Yours to fill; solve.py may import it."""
