"""What an attempt's supervisor and workers keep outside their conversations: plan, notes, reports.

It lies in Inspect's store of the sample, so that no cut of a conversation touches it and the log shows it.
"""

from __future__ import annotations

import copy
import json

from inspect_ai.tool import ToolDef
from inspect_ai.util import StoreModel, store
from pydantic import Field, JsonValue

from assay.agents.encodable import make_encodable
from assay.agents.supervisor.offering import offered
from assay.agents.supervisor.output import shorten

HEADING = "Kept by the harness, and shown again whenever earlier messages are dropped:"
NOTES_SHOWN = 8_000
SCRATCHPAD_SHOWN = 6_000
REPORTS_SHOWN = 6_000
LASTING_BYTES = 1_000_000
"""The most that an interrupted attempt keeps; beyond it, only the plan lasts."""


class Notebook(StoreModel):
    """One attempt's plan, notes, scratchpad and reports."""

    plan: list[str] = Field(default_factory=list)
    states: list[str] = Field(default_factory=list)
    """Of each step of the plan: open, done or not done."""
    plans: int = 0
    """How many plans were made; all but the first are replans."""
    notes: list[str] = Field(default_factory=list)
    scratchpad: str = ""
    reports: list[str] = Field(default_factory=list)
    """What workers reported, with the plan and the step that each worked on."""
    submission_note: str | None = None
    """What was said of the submission when it was handed in."""

    def shown(self) -> str:
        """All of it as a text; long parts keep their head and tail."""
        steps = [f"{number}. [{self.states[number - 1]}] {step}" for number, step in enumerate(self.plan, 1)]
        notes = shorten("\n".join(f"- {note}" for note in self.notes), NOTES_SHOWN)
        reports = shorten("\n".join(self.reports), REPORTS_SHOWN)
        parts = {
            f"Plan {self.plans}": "\n".join(steps),
            "Notes": notes,
            "Scratchpad": shorten(self.scratchpad, SCRATCHPAD_SHOWN),
            "Reports so far": reports,
        }
        return "\n\n".join(
            [HEADING, *(f"## {title}\n{text}" for title, text in parts.items() if text)]
            if any(parts.values())
            else []
        )

    def tools(self) -> list[ToolDef]:
        """Notes and scratchpad for a model."""
        return [
            offered(self.take_note, "take_note"),
            offered(self.write_scratchpad, "scratchpad"),
            offered(self.read_notes, "read_notes"),
        ]

    async def take_note(self, note: str) -> str:
        """Keep a note for good; every later worker and the supervisor see it.

        Args:
            note: What is worth keeping: a finding, a number, a decision, a path.
        """
        self.notes = [*self.notes, note]
        return f"Note {len(self.notes)} is kept."

    async def write_scratchpad(self, content: str) -> str:
        """Replace the scratchpad, a text for work in progress that survives like the notes.

        Args:
            content: The whole new text.
        """
        self.scratchpad = content
        return f"The scratchpad holds {len(content):,} characters."

    async def read_notes(self) -> str:
        """Read the plan, the notes, the scratchpad and the reports so far."""
        return self.shown() or "Nothing is kept yet."


def lasting_store() -> dict[str, JsonValue]:
    """Return what an attempt needs to go on after an interruption, by the key in Inspect's store."""
    lasting = {key: value for key, value in store().items() if key.startswith(f"{Notebook.__name__}:")}
    book: dict[str, JsonValue] = make_encodable(copy.deepcopy(lasting))
    if len(json.dumps(book)) <= LASTING_BYTES:
        return book
    return {key: value for key, value in book.items() if key.endswith((":plan", ":plans", ":states"))}
