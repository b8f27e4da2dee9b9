"""Deterministic rules: the type of a failure, read from the words of its evidence.

The evidence of a run is the end of what it printed. A rule that looks for an exception looks for the last
one that is named, since a traceback ends with what went wrong; what was printed before may name others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.scoring.failures.taxonomy import FOLLOWS, Phase

PHASE_OF_ITEM: dict[str, Phase] = {
    "integrity": "integrity",
    "handed-in": "submission",
    "design": "design",
    "requirement": "implementation",
    "execution": "execution",
    "result": "result",
    "conclusion": "conclusion",
    "rule": "score",
    "score": "score",
}

_FOLLOWS = re.compile(
    r"^(no number: (the run|the run ended well|\S+ is not JSON|\S+ was refused)|nothing to check: "
    r"|not run, since the plain run failed|no score: |no numbers were re-made to compare with)"
)

_EXCEPTIONS: dict[str, str] = {
    "ModuleNotFoundError": "missing-module",
    "ImportError": "bad-import",
    "FileNotFoundError": "missing-file",
    "NotADirectoryError": "missing-file",
    "IsADirectoryError": "missing-file",
    "MemoryError": "out-of-memory",
    "OutOfMemoryError": "out-of-memory",
    "NotImplementedError": "stub-left",
    "SyntaxError": "syntax",
    "IndentationError": "syntax",
    "TabError": "syntax",
    "AttributeError": "attribute",
    "NameError": "attribute",
    "UnboundLocalError": "attribute",
    "IndexError": "index",
    "KeyError": "index",
    "TypeError": "call",
    "ZeroDivisionError": "arithmetic",
    "FloatingPointError": "arithmetic",
    "OverflowError": "arithmetic",
    "LinAlgError": "arithmetic",
    "AssertionError": "assertion",
    "PermissionError": "not-permitted",
    "RecursionError": "recursion",
    "TimeoutError": "time-out",
    "TimeoutExpired": "time-out",
    "gaierror": "no-network",
    "URLError": "no-network",
    "ConnectionError": "no-network",
    "ConnectionRefusedError": "no-network",
    "BrokenProcessPool": "signal",
}
_NAMED = re.compile(r"\b(?:\w+\.)*(" + "|".join(_EXCEPTIONS) + r")\b(?=:|\s|$|⏎|\()")

_RUN: Sequence[tuple[str, str]] = (
    (r"^grading broke on this submission", "broke-grading"),
    (r"stopped at its (wall|cpu|time) limit", "time-out"),
    (r"stopped at its memory limit|CUDA out of memory|Unable to allocate|DefaultCPUAllocator"
     r"|std::bad_alloc|Cannot allocate memory", "out-of-memory"),
    (r"stopped at its disk limit|No space left on device|Disk quota exceeded", "disk-full"),
    (r"stopped at its (\w+) limit", "too-much-output"),
    (r"could not be broadcast|not aligned|mismatch in its core dimension|dimension mismatch"
     r"|size mismatch|shapes cannot be multiplied|inhomogeneous shape|inconsistent numbers of samples"
     r"|(Input|array) dimensions .* must match|must match the size of tensor"
     r"|features?, but \w+ is expecting|cannot reshape array|Expected \dD array", "shape"),
    (r"can't open file|(bash|sh): (line \d+: )?[\w./-]+\.(sh|py): No such file", "missing-script"),
    (r"No module named", "missing-module"),
    (r"Temporary failure in name resolution|Network is unreachable|Name or service not known", "no-network"),
    (r"wrote no \S+$|but without ", "no-results"),
)  # fmt: skip

_AFTER_EXCEPTION: Sequence[tuple[str, str]] = (
    (r"No such file or directory|not found in\b", "missing-file"),
    (r"command not found|exited with 127\b", "missing-script"),
    (r"Permission denied|Read-only file system", "not-permitted"),
    (r"exited with 137\b|\bKilled\b", "out-of-memory"),
    (r"exited with (13[0-9]|14[0-9]|15[0-9])\b|Segmentation fault|Aborted", "signal"),
    (r"is not JSON|was refused", "unreadable-results"),
    (r"exited with -?\d+", "other-crash"),
)

_NUMBER = r"-?\d[\d.,]*(e-?\d+)?"

_BY_PHASE: dict[Phase, Sequence[tuple[str, str]]] = {
    "integrity": (
        (r"link", "link"),
        (r"would be run by Python|takes the place of", "startup"),
        (r"planted false truth", "canary"),
    ),
    "submission": ((r"was not handed in", "not-handed-in"), (r"", "refused")),
    "design": (
        (r"was not handed in", "design-missing"),
        (r"is not JSON|not an object|neither an object", "design-unreadable"),
        (r"names no ", "design-variable"),
        (r"several roles|is called \w+, it is", "design-role"),
        (r" takes .*expected ", "design-values"),
    ),
    "result": (
        (r"a run the agent could not know", "wrong-unseen"),
        (r"^re-made ", "wrong-number"),
        (r"^no number: ", "missing-number"),
    ),
    "conclusion": (
        (r"was not handed in|does not say|says nothing of", "conclusion-missing"),
        (r"is not JSON|no object `claims`", "conclusion-unreadable"),
        (r"its own run gives|on the way to", "conclusion-unfaithful"),
        (rf"^says {_NUMBER}, true is {_NUMBER}$", "conclusion-number"),
        (r"^says .*true is ", "conclusion-claim"),
    ),
    "score": ((r"reference .*baseline", "below-reference"),),
}

_COMPILED: dict[Phase | None, list[tuple[re.Pattern[str], str]]] = {
    **{phase: [(re.compile(p), t) for p, t in rules] for phase, rules in _BY_PHASE.items()},
    None: [(re.compile(p), t) for p, t in _RUN],
}
_LAST = [(re.compile(pattern), name) for pattern, name in _AFTER_EXCEPTION]


def phase_of(item: str) -> Phase:
    """The phase that an item belongs to."""
    return PHASE_OF_ITEM.get(item.partition(".")[0], "result")


def recognise(item: str, evidence: str) -> str | None:
    """The type of a failed item by the rules, `FOLLOWS`, or None where no rule speaks."""
    if _FOLLOWS.search(evidence):
        return FOLLOWS
    phase = phase_of(item)
    if phase == "execution":
        return recognise_run(evidence)
    type_id = _first(_COMPILED.get(phase, []), evidence)
    if type_id is None and phase == "score" and item.startswith("rule."):
        return "rule-broken"
    return type_id


def recognise_run(evidence: str) -> str | None:
    """The type of a failed run, from the end of what it printed."""
    type_id = _first(_COMPILED[None], evidence)
    if type_id is not None:
        return type_id
    named = _NAMED.findall(evidence)
    return _EXCEPTIONS[named[-1]] if named else _first(_LAST, evidence)


def _first(rules: Sequence[tuple[re.Pattern[str], str]], text: str) -> str | None:
    return next((name for pattern, name in rules if pattern.search(text)), None)
