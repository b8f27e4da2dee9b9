"""assay record: archives hand-ins, so that they can be graded again with `--agent replay:FOLDER`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json

Text = str | None


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(record)


def record(
    source: Annotated[
        Path, typer.Argument(help="A folder of logs; with --suite, a folder with one folder for each task.")
    ],
    out: Annotated[Path, typer.Option(help="A new folder for the recording.")],
    agent: Annotated[Text, typer.Option(help="Whose hand-ins, if the logs have several agents.")] = None,
    model: Annotated[Text, typer.Option(help="The agent's model, if this is known.")] = None,
    suite: Annotated[Text, typer.Option(help="The suite of the hand-ins, if the source is no log.")] = None,
    name: Annotated[Text, typer.Option(help="The agent's name in tables.")] = None,
    date: Annotated[Text, typer.Option(help="The day of the work, as 2026-11-16.")] = None,
    kind: Annotated[Text, typer.Option(help="What kind of agent it was, in words.")] = None,
    isolation: Annotated[Text, typer.Option(help="How it was kept from seeing the truth.")] = None,
    json: AsJson = False,
) -> None:
    """Archive what an agent handed in, to grade it again later and show it as a recorded agent."""
    from assay.api.recording import record as make_recording

    recording = make_recording(
        source,
        out,
        agent=agent,
        model=model,
        suite=suite,
        name=name,
        date=date,
        kind=kind,
        isolation=isolation,
    )
    if json:
        print_json(recording.model_dump(mode="json"))
        return
    tasks = len({hand_in.task for hand_in in recording.hand_in})
    print(f"{recording.name}, recorded {recording.date}: {len(recording.hand_in)} hand-ins for {tasks} tasks")
    print(f"grade them now: assay run SUITE --agent replay:{out}")
