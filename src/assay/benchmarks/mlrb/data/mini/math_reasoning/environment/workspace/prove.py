"""A first solution that proves nothing yet: it shows what has to be written."""

from statements import STATEMENTS, save

PROOFS = {}
"""Name of a statement → its proof, for example `"mathd_numbertheory_48": "omega"`."""

save({name: PROOFS[name] for name in STATEMENTS if name in PROOFS})
