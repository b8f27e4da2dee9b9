"""Recordings: archives of what real agents handed in, to be graded again later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from assay.agents.recordings import RecordedHandIn, Recording, digests_of, write_hand_in, write_recording
from assay.api.event_loop import outside_event_loop
from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.scoring import Attempt, read_attempts
from assay.tasks.model import explain
from assay.workspace import SUBMISSIONS, Submission, read_folder, requested_files

SANDBOXED = "it worked in Assay's sandbox, which shows a task's workspace and nothing of its truth"


@outside_event_loop
def record(
    source: str | Path,
    out: str | Path,
    *,
    agent: str | None = None,
    model: str | None = None,
    suite: str | Path | Suite | None = None,
    name: str | None = None,
    date: str | None = None,
    kind: str | None = None,
    isolation: str | None = None,
) -> Recording:
    """Archive an agent's hand-ins in a new folder, for `--agent replay:FOLDER`.

    `source` is a folder of logs, and `agent` (with `model`, if there are several) says whose hand-ins. With
    `suite`, `source` has a folder for each task instead, `TASK/` or `TASK/1/`, `TASK/2/`, …, with the
    workspace as the agent left it; then `name`, `date`, `kind` and `isolation` are needed: what sort of agent
    it was, and what kept it from peeking.
    """
    target = Path(out)
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty, expected a new folder", hint="name another one")
    if suite is not None:
        facts = {"name": name, "date": date, "kind": kind, "isolation": isolation}
        missing = [fact for fact, value in facts.items() if not value]
        if missing:
            raise UsageError(f"a recording of folders needs {', '.join(missing)}", hint="logs would say it")
        loaded = suite if isinstance(suite, Suite) else load_suite(suite)
        hand_ins = _from_folders(Path(source), loaded)
        facts_of_agent = {"name": name, "date": date, "agent": kind, "model": model, "isolation": isolation}
    else:
        attempts = _attempts_of(Path(source), agent, model)
        first = attempts[0]
        hand_ins = _from_logs(attempts)
        facts_of_agent = {
            "name": name or first.agent.partition("[")[0],
            "date": date or max(attempt.completed for attempt in attempts)[:10],
            "agent": kind or first.description or first.agent,
            "model": None if first.model == "none" else first.model,
            "isolation": isolation or SANDBOXED,
        }
    recording = _described(facts_of_agent)
    entries = []
    for hand_in, submission in hand_ins:
        write_hand_in(target, hand_in, submission)
        entries.append(hand_in)
    if not entries:
        raise UsageError(f"{source} has no hand-in of a task", hint="a folder is named as its task's id")
    recording = recording.model_copy(update={"hand_in": entries})
    write_recording(target, recording)
    return recording


def _described(facts: Mapping[str, object]) -> Recording:
    """A recording without hand-ins; UsageError names the fact that is wrong."""
    try:
        return Recording.model_validate({**facts, "hand_in": []})
    except ValidationError as error:
        fact = {"agent": "kind"}.get(str(error.errors()[0]["loc"][0]), error.errors()[0]["loc"][0])
        raise UsageError(
            f"the {fact} of the recording cannot be used: {explain(error)}",
            hint=f"give another one with --{fact}",
        ) from None


def _attempts_of(logs: Path, agent: str | None, model: str | None) -> list[Attempt]:
    graded = [attempt for attempt in read_attempts(logs) if attempt.submission and not attempt.recorded]
    agents = sorted({(attempt.agent, attempt.model) for attempt in graded})
    matching_agents = [pair for pair in agents if agent in (None, pair[0]) and model in (None, pair[1])]
    if len(matching_agents) != 1:
        names_in_logs = (
            ", ".join(f"{name} ({used})" for name, used in (matching_agents or agents)) or "no graded attempt"
        )
        raise UsageError(
            f"{logs} has {len(matching_agents)} agents to choose from, expected one",
            hint=f"name one of: {names_in_logs}",
        )
    attempts = [attempt for attempt in graded if (attempt.agent, attempt.model) == matching_agents[0]]
    if len({attempt.suite for attempt in attempts}) > 1:
        raise UsageError(f"{logs} has attempts at several suites", hint="record each suite by itself")
    return attempts


def _from_logs(attempts: Sequence[Attempt]) -> Iterator[tuple[RecordedHandIn, Submission]]:
    for attempt in attempts:
        if not attempt.digest:
            raise UsageError(
                f"{attempt.log} does not say which contents the task {attempt.task} had",
                hint="record other logs; this one is damaged, or not by Assay",
            )
        submission = Submission.load(Path(attempt.log).parent / SUBMISSIONS, attempt.submission)
        seconds = None if attempt.seconds is None else round(attempt.seconds, 1)
        yield _entry(attempt.task, attempt.digest, attempt.epoch, submission, seconds), submission


def _from_folders(source: Path, suite: Suite) -> Iterator[tuple[RecordedHandIn, Submission]]:
    for task in suite.tasks:
        folder = source / task.id.replace("/", "-")
        if not folder.is_dir():
            continue
        inner = sorted(folder.iterdir())
        numbered = bool(inner) and all(path.is_dir() and path.name.isdecimal() for path in inner)
        for number, place in [(int(path.name), path) for path in inner] if numbered else [(1, folder)]:
            submission = read_folder(place, task.workspace, requested=requested_files(task))
            yield _entry(task.id, task.digest, number, submission, None), submission


def _entry(
    task: str, digest: str, number: int, submission: Submission, seconds: float | None
) -> RecordedHandIn:
    folder = task.replace("/", "-")
    return RecordedHandIn(
        task=task,
        digest=digest,
        files=folder if number == 1 else f"{folder}.{number}",
        attempt=number,
        deleted=list(submission.deleted),
        executable=list(submission.executable),
        folders=list(submission.folders),
        links=submission.links,
        seconds=seconds,
        sha256=digests_of(submission.files),
    )
