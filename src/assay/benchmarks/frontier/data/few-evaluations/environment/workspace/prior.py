"""For code and numbers that solve.py imports; may stay empty."""
