"""The tree of an attempt's submissions: which approaches were tried, and which parts were left out to see.

It is read from the archives of the checkpoints, not from what the agent says. What came and went between two
checkpoints is not seen, so the counts are lower bounds.
"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.grading.checkpoint import Checkpoint
from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.code_similarity import Code, code_of, is_ablation, likeness
from assay.tasks.metric import Strict
from assay.workspace import SUBMISSIONS, Submission

ONE_APPROACH = 0.8
"""Code at least this much like an earlier submission's is of its approach."""


class Node(Strict):
    """One state of the code that a checkpoint found."""

    seconds: float
    submission: str
    parent: int | None
    """The earlier node that it is an ablation of, or else most like; None for the first."""
    approach: int
    """From 1; a node that is like none before it begins another."""
    ablation: bool
    valid: bool
    normalised: float | None


def tree_of(attempt: Attempt) -> list[Node] | None:
    """The states of an attempt's code in order of time; None where an archive is missing."""
    states: list[tuple[Checkpoint, Code]] = []
    for checkpoint in attempt.checkpoints:
        files = _files(attempt, checkpoint.submission)
        if files is None:
            return None
        states.append((checkpoint, code_of(files)))
    return grow(states)


def approaches(tree: Sequence[Node]) -> int:
    """How many distinct approaches were tried."""
    return max((node.approach for node in tree), default=0)


def ablations(tree: Sequence[Node]) -> int:
    """How many ablations gave a valid submission; one that did not has measured nothing."""
    return sum(node.ablation and node.valid for node in tree)


def grow(states: Sequence[tuple[Checkpoint, Code]]) -> list[Node]:
    """A node for each different state of the code; the same code again, or none, makes no node."""
    tree: list[Node] = []
    known_codes: list[Code] = []
    for checkpoint, code in states:
        if not code:
            continue
        if code in known_codes:
            place = known_codes.index(code)
            # The same code may be scored again after a longer run: it was run if any of them was valid.
            if checkpoint.valid and not tree[place].valid:
                update = {"valid": True, "normalised": checkpoint.normalised}
                tree[place] = tree[place].model_copy(update=update)
            continue
        tree.append(_node(checkpoint, code, tree, known_codes))
        known_codes.append(code)
    return tree


def _node(checkpoint: Checkpoint, code: Code, tree: Sequence[Node], known_codes: Sequence[Code]) -> Node:
    alike = [likeness(earlier_code, code) for earlier_code in known_codes]
    ablated_from = [
        place for place, earlier_code in enumerate(known_codes) if is_ablation(earlier_code, code)
    ]
    # Among equals the latest: work goes on from where it stands.
    parent = max(
        ablated_from or range(len(known_codes)), key=lambda place: (alike[place], place), default=None
    )
    goes_on = parent is not None and (bool(ablated_from) or alike[parent] >= ONE_APPROACH)
    return Node(
        seconds=checkpoint.seconds,
        submission=checkpoint.submission,
        parent=parent,
        approach=tree[parent].approach if goes_on and parent is not None else approaches(tree) + 1,
        ablation=bool(ablated_from),
        valid=checkpoint.valid,
        normalised=checkpoint.normalised,
    )


def _files(attempt: Attempt, digest: str) -> dict[str, bytes] | None:
    if digest == Submission().digest:
        return {}
    try:
        return Submission.load(Path(attempt.log).parent / SUBMISSIONS, digest).files
    except (AssayError, OSError, ValueError, KeyError, tarfile.TarError):
        return None
