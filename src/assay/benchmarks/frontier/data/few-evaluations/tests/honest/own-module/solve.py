"""The solution, whose search has a module of its own."""

from parts import Search

__all__ = ["Search"]
