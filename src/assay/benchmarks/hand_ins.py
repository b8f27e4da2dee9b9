"""Hand-ins of a benchmark's own agents: folders to grade, and what the published judge said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class JudgedPhases:
    """The share of each phase that the published judge found right; None if it did not say."""

    design: float | None
    implementation: float | None
    execution: float | None
    conclusion: float | None
    reason: str = ""
    """Why it refused the whole answer; empty if it did not."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What it wrote about each phase, in its own words."""


@dataclass(frozen=True)
class HandIn:
    """One answer of an agent, written as a folder of files."""

    task: str
    folder: Path
    source: Path
    agent: str
    """`agent/model`; empty if it is not known."""
    notes: tuple[str, ...]
    """What could not be read, or was read by rule."""
    judged: JudgedPhases | None
    """What the published judge said; None if there is no such file."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "folder": str(self.folder), "source": str(self.source)}


@dataclass(frozen=True)
class ImportedHandIns:
    """All answers of one import."""

    suite: str
    hand_ins: Sequence[HandIn]

    def lines(self) -> Iterator[str]:
        """Yield each folder with its notes, then how to grade one."""
        for hand_in in self.hand_ins:
            yield f"{hand_in.task}  {hand_in.agent or 'agent unknown'}  {hand_in.folder}"
            yield from (f"  {note}" for note in hand_in.notes)
        judged = sum(hand_in.judged is not None for hand_in in self.hand_ins)
        yield f"{len(self.hand_ins)} hand-ins imported, {judged} with the published judge's scores"
        if self.hand_ins:
            first = self.hand_ins[0]
            yield f"grade one: assay grade --task {self.suite}/{first.task} --submission {first.folder}"

    def to_json(self) -> dict[str, Any]:
        """Return every hand-in."""
        return {"suite": self.suite, "hand_ins": [hand_in.to_json() for hand_in in self.hand_ins]}


@runtime_checkable
class HandInSource(Protocol):
    """A benchmark whose agents' published outputs can be imported."""

    def import_hand_ins(self, folder: Path, out: Path) -> ImportedHandIns:
        """Write every answer below a folder as a folder of files below `out`."""
        ...
