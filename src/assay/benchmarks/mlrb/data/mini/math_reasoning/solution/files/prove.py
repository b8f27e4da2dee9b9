"""A proof of its own for each statement that needs one, written by hand; arithmetic without products for the rest."""

from pathlib import Path

from statements import STATEMENTS, save

OWN = Path(__file__).with_name("proofs")


def proof(name):
    own = OWN / f"{name}.lean"
    return own.read_text() if own.is_file() else "omega"


save({name: proof(name) for name in STATEMENTS})
