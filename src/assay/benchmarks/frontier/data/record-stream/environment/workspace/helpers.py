"""For code that solve.py imports; may stay empty."""
