from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.cli.progress import Counter
from assay.evaluation.events import Finished, Started


def finished(task: str, passed: bool | None, **changes: float) -> Finished:
    return Finished("react", task, passed, None, 2.5, **changes)  # type: ignore[arg-type]


def test_plain_lines_count_and_say_how_each_ended(capsys: pytest.CaptureFixture[str]) -> None:
    counter = Counter()
    counter.announce(1, 2)
    counter.begin(Started("react", "prune"))
    counter.tell(finished("prune", True, tokens=900, cost=0.02))
    counter.tell(Finished("react", "spectral-1", None, "SandboxError('gone')\nmore", 1.0))
    counter.tell(Finished("react", "first", None, "CancelledError('Cancelled via cancel scope 7f09')", 1.0))

    lines = capsys.readouterr().err.splitlines()

    assert lines[0] == "2 attempts to make, 1 already finished"
    assert lines[1].split() == ["[2/3]", "react", "prune", "passed", "2.5", "s"]
    assert "not made: SandboxError('gone')" in lines[2]
    assert lines[3].split()[3:] == ["stopped", "1.0", "s"]
    assert counter.outcomes == {"passed": 1, "failed": 0, "unknown": 0, "not made": 2}


def test_the_standing_says_what_runs_what_was_spent_and_how_long_it_takes() -> None:
    counter = Counter()
    assert "time left unknown" in counter.standing()
    counter.announce(0, 3)
    counter.begin(Started("react", "prune"))
    counter.begin(Started("react", "spectral-1"))
    counter.tell(finished("prune", False, tokens=12_000, cost=0.5))

    standing = counter.standing()

    assert standing.startswith("1 of 3 done, 1 running (longest: react on spectral-1")
    assert "12.0k tokens, $0.50" in standing
    assert standing.endswith("left")


def test_a_price_that_is_not_known_is_not_zero() -> None:
    counter = Counter()
    counter.announce(0, 1)
    counter.tell(finished("prune", None, tokens=10))

    assert counter.spent() == "10 tokens, price unknown"


def test_without_a_terminal_the_standing_is_said_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    said = ""
    with Counter(every=0.01) as counter:
        counter.announce(0, 2)
        while "… 0 of 2 done" not in said:
            said += capsys.readouterr().err

    assert "… 0 of 2 done, 0 running, no tokens spent, time left unknown" in said


def test_a_terminal_gets_a_live_display_and_keeps_the_lines() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=160, color_system=None)
    with Counter(console) as counter:
        counter.announce(0, 20)
        for number in range(15):
            counter.begin(Started("react", f"task-{number}"))
        counter.tell(finished("task-0", True, tokens=5, cost=0.25))
        console.print(counter)
    assert isinstance(console.file, io.StringIO)

    shown = console.file.getvalue()

    assert "[ 1/20] react" in shown
    assert "1 of 20 done, 14 running" in shown
    assert "$0.25" in shown
    assert "1 passed" in shown
    assert "running  react  task-12" in shown
    assert "and 2 more" in shown


def test_certifying_counts_what_is_no_attempt_beside_the_attempts(capsys: pytest.CaptureFixture[str]) -> None:
    counter = Counter()
    counter.announce(0, 1)
    counter.tell(finished("prune", False))
    counter.also("broken variants", 7, "broken zip-bomb prune rejected")

    assert capsys.readouterr().err.splitlines()[-1] == "broken zip-bomb prune rejected"
    assert counter.standing() == "1 of 1 done, 0 running, 1 of 7 broken variants, attempts are all made"


def test_the_display_says_how_far_each_running_task_is() -> None:
    console = Console(file=io.StringIO(), width=160, color_system=None)
    counter = Counter()
    counter.announce(0, 3)
    for agent in ("oracle", "idle"):
        counter.begin(Started(agent, "prune"))
    counter.tell(Finished("oracle", "prune", True, None, 1.0))
    console.print(counter)
    assert isinstance(console.file, io.StringIO)

    assert "1 done at this task" in console.file.getvalue()
