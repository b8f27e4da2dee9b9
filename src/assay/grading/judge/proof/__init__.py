"""What of a file can prove something about code: statements that can run, and did where that is known.

`proof_of` gives the text without comments, prose, imports and dead code, and a mask of the same length in
which the contents of strings are blanked: a quote must hold words of the program, not of a text inside it.

What it does not cover: an expression that is never reached on a line that is (`flag and train()`), and code
that runs but whose result is thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.grading.execution_trace import first_line, is_python
from assay.grading.judge.proof.languages import MAKEFILES, PLAIN_CODE, c_proof, hash_proof, shell_proof
from assay.grading.judge.proof.python import python_proof
from assay.grading.judge.proof.settings import settings_proof
from assay.rules.programs import SETTINGS


@dataclass(frozen=True)
class Proof:
    """Code, and the same with the contents of its strings hidden."""

    text: str = ""
    mask: str = ""


def proof_of(path: str, text: str, ran: frozenset[int] | None = None) -> Proof:
    """What of a file can prove something; `ran` are the lines that were executed, None where unknown."""
    name = path.lower()
    data = text[:300].encode(errors="replace")
    if is_python(path, data) or name.endswith(".ipynb"):
        return Proof(*python_proof(text, ran))
    if name.endswith((".sh", ".bash", ".zsh")) or b"sh" in first_line(data):
        return Proof(*shell_proof(text))
    if name.endswith(PLAIN_CODE.slashes):
        return Proof(*c_proof(text))
    if name.endswith(PLAIN_CODE.hashes) or name.rpartition("/")[2] in MAKEFILES or first_line(data):
        return Proof(*hash_proof(text))
    if name.endswith(SETTINGS):
        return Proof(*settings_proof(text))
    return Proof()


def is_readable(path: str, data: bytes) -> bool:
    """Whether a file is of a kind that can prove anything; all else is prose or data."""
    name = path.lower()
    endings = (*PLAIN_CODE.slashes, *PLAIN_CODE.hashes, *SETTINGS, ".sh", ".bash", ".zsh", ".ipynb")
    return (
        is_python(path, data)
        or name.endswith(endings)
        or name.rpartition("/")[2] in MAKEFILES
        or bool(first_line(data))
    )


__all__ = ["Proof", "is_readable", "proof_of"]
