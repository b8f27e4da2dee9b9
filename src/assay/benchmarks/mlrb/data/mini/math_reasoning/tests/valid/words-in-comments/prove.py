"""Speaks of sorry and axiom in comments, which is no cheat."""

from statements import STATEMENTS, save

PROOF = "-- no sorry, no axiom\nomega /- nor `native_decide`, /- nested -/ nor a macro -/"
save({name: PROOF for name in STATEMENTS})
