"""Puts off what omega cannot do."""

from statements import STATEMENTS, save

save({name: "first | omega | admit" for name in STATEMENTS})
