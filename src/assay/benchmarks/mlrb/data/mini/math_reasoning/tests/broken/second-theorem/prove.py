"""Ends the theorem that was asked for and proves another one, of a name that is asked after next."""

from statements import STATEMENTS, save

save({name: "omega\n\ntheorem assay_1 : True := by\n  trivial" for name in STATEMENTS})
