"""For numbers that solve.py imports; may stay empty."""
