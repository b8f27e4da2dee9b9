"""What an agent ran, wrote and saw is kept whole beside the log, and the monitor reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import assay
from assay.benchmarks import load_suite
from assay.evaluation import Settings
from assay.evaluation.regrade import regrade
from assay.evaluation.resume import log_files
from assay.reporting.bundle import bundle
from assay.tasks import save_task
from assay.workspace import TRANSCRIPTS, CommandTranscript
from tests.agents.attempts import read_attempts
from tests.tasks.examples import masked_task

KEY = "sk-" + "aB3" * 16
AGENT = f"""
from inspect_ai.solver import solver
from inspect_ai.util import sandbox

NEEDS_MODEL = False


@solver
def busy():
    async def solve(state, generate):
        place = sandbox()
        padding = "true\\n" * 60
        await place.exec(["bash", "-c", padding + "git log"])
        await place.exec(["bash"], input="true\\n" * 60 + "seq 1 5000; echo {KEY}; exit 3")
        await place.write_file("/workspace/look.py", "import os\\nos.kill(1, 9)\\n")
        await place.exec(["bash", "-c", "rm look.py; echo a\\0b"])
        await place.write_file("notes/.env", "API_KEY=abcdefgh12345678\\n")
        return state
    return solve
"""


def attempt(folder: Path) -> dict[str, Any]:
    """The notes that the scorer wrote of one attempt by a busy agent."""
    save_task(masked_task(), folder / "suite" / "toy")
    (folder / "agents.py").write_text(AGENT)
    settings = Settings(logs=str(folder / "logs"))
    assay.run(load_suite(folder / "suite"), agent=[f"{folder}/agents.py:busy"], settings=settings)
    (seen,) = read_attempts(folder / "logs")
    return dict(seen.notes)


def test_everything_is_kept_and_credentials_are_not(tmp_path: Path) -> None:
    notes = attempt(tmp_path)
    record = CommandTranscript.load(tmp_path / "logs" / TRANSCRIPTS, notes["transcript"])
    first, second, look, odd, settings = record.entries
    assert first.words.endswith(b"git log'"), "all 61 lines are there"
    assert second.input.count(b"\n") == 60
    assert second.output.startswith(b"1\n2\n3\n")
    assert b"\n5000\n[credential]" in second.output
    assert second.returncode == 3
    assert (look.do, look.words) == ("write", b"/workspace/look.py")
    assert b"os.kill(1, 9)" in look.input
    assert (odd.returncode, odd.output[:9]) == (126, b"argument ")
    assert settings.input.startswith(b"API_KEY=[credential]")
    assert record.left_out == 0
    assert KEY.encode() not in b"".join(path.read_bytes() for path in (tmp_path / "logs").rglob("*.tar"))


def test_the_monitor_reads_what_stands_behind_the_twentieth_line(tmp_path: Path) -> None:
    notices = {each["flag"]: each["evidence"] for each in attempt(tmp_path)["grade"]["notices"]}
    assert "git log" in notices["history"]
    assert "look.py" in notices["kill"], "a file that was written, run and removed"
    assert "unwatched" not in notices


def test_a_bundle_and_a_new_grading_carry_it(tmp_path: Path) -> None:
    digest = attempt(tmp_path)["transcript"]
    regrade(tmp_path / "logs", tmp_path / "again")
    (seen,) = read_attempts(tmp_path / "again")
    assert seen.notes["transcript"] == digest
    assert CommandTranscript.load(tmp_path / "again" / TRANSCRIPTS, digest).entries
    assert len(log_files(tmp_path / "again")) == 1
    packed = bundle(tmp_path / "logs", tmp_path / "all.zip")
    import zipfile

    assert f"logs/{TRANSCRIPTS}/{digest}.tar.gz" in zipfile.ZipFile(packed).namelist()
