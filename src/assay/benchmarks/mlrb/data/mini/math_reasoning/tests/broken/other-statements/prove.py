"""Hands in a proof of a statement that nobody asked for."""

from statements import STATEMENTS, save

save({**{name: "omega" for name in STATEMENTS}, "easy": "trivial"})
