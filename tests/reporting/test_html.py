from __future__ import annotations

import base64
import json
import random
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from assay import reporting
from assay.grading.verdict import Grade, Verdict, showable
from assay.reporting.figures import make_figures
from assay.sandbox.session.command_record import CommandEntry
from assay.scoring import LogRecord, read_record
from assay.tasks import save_task
from assay.workspace import Submission
from assay.workspace.transcripts import CommandTranscript
from tests.many_attempts import many_attempts
from tests.synthetic_logs import Run, attempt, grade, score, write_demo
from tests.tasks.examples import GOLD, masked_task

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028 & "quoted" \''


class Outline(HTMLParser):
    """The elements of a page, with their attributes, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.scripts[-1] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def _data(page: str) -> dict[str, Any]:
    """The embedded table, with the names of its columns."""
    found = re.search(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found.group(1))))
    return data


def _attempts(page: str) -> dict[str, list[dict[str, Any]]]:
    """Cell → its attempts, put together again from the columns."""
    data = _data(page)
    columns = data["attempts"]
    found: dict[str, list[dict[str, Any]]] = {}
    for place in range(len(columns["epoch"])):
        one = {name: values[place] for name, values in columns.items()}
        for name in ("owner", "caught", "error", "limit", "log"):
            if one.get(name) is not None:
                one[name] = data["texts"][one[name]]
        shape = data["shapes"][one.get("shape") or 0]
        one["verdicts"] = [
            [*data["heads"][head], data["texts"][evidence]]
            for head, evidence in zip(shape[::2], one.get("evidence") or [], strict=True)
        ]
        task, agent = data["tasks"][one.get("task") or 0][0], data["agents"][one.get("agent") or 0][0]
        found.setdefault(f"{task}/{agent}", []).append(one)
    return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("logs")
    return reporting.build(write_demo(folder), folder).read_text()


def test_a_folder_gets_report_html_and_nothing_else(tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    out.mkdir()
    Run("react", [attempt("prune", "passed")]).write(logs)

    assert reporting.build(logs, out) == out / "report.html"
    assert reporting.build([logs], out / "deeper" / "mine.html") == out / "deeper" / "mine.html"
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == ["mine.html", "report.html"]


def test_the_page_needs_nothing_from_elsewhere(demo: str) -> None:
    outline = Outline(demo)

    assert outline.named("link") == [{"rel": "icon", "href": "data:,"}]
    for tag, attributes in outline.elements:
        assert "src" not in attributes, tag
        assert not (attributes.get("href") or "#").startswith("http"), tag
    assert "@import" not in demo
    assert "url(" not in demo
    policy = next(one["content"] for one in outline.named("meta") if one.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_it_says_what_was_run_and_how_much_is_certified(demo: str) -> None:
    text = " ".join(re.sub(r"<[^>]+>", " ", demo).split())

    assert "96 attempts at 12 tasks by 2 agents and 10 calibrators" in text
    assert "11 of 12 tasks are certified" in text
    assert "4/12 33% [14, 61]" in text
    assert "4 unknown: sandbox 4 so between 33 and 67%" in text


def test_it_says_the_finding_of_each_agent_first(demo: str) -> None:
    opening = demo[: demo.index('<section id="overview"')]
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", opening))

    assert (
        "react with openai/gpt-5-mini passed 4 of 12 (14–61%); most failures: the sandbox failed, 4." in text
    )
    assert text.index("react with") < text.index("agentless with local/smollm2 passed 1 of 36")
    assert re.search(r"may be chance: \d+ points \(95% interval", text), "8 tasks cannot show a difference"


def test_a_run_of_calibrators_alone_says_so_first(tmp_path: Path) -> None:
    Run("oracle", [attempt("prune", "passed")]).write(tmp_path)
    Run("idle", [attempt("prune", "failed")]).write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    found = "oracle passed 1 of 1 (must pass all); idle passed 0 of 1 (must pass none)."
    assert f"No agent was measured here. Calibration: {found}" in page


def test_the_overview_keeps_calibrators_apart(demo: str) -> None:
    overview = demo[demo.index('<section id="overview"') : demo.index('<section id="scores"')]
    measured, _, calibrators = overview.partition("Calibrators:")

    assert "react" in measured
    assert "oracle" not in measured
    assert "oracle" in calibrators
    assert "✓ must pass all" in calibrators


def test_gpu_hours_and_peak_memory_are_in_the_page(tmp_path: Path) -> None:
    sample = attempt("prune", "passed")
    assert sample.scores is not None
    details = sample.scores["assay"].metadata
    assert details is not None
    details["gpu"] = {"gpus": 1, "hours": 0.125, "peak_mb": 20_480.0}
    Run("react", [sample], model="m").write(tmp_path)
    Run("agentless", [attempt("prune", "failed")], model="m").write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    assert "0.125 h" in page
    assert "peak 20.0 GB" in page
    assert _data(page)["attempts"]["gpu"] == [None, [0.125, None, 20480.0]]


def test_a_transcript_is_read_bounded_and_without_keys(tmp_path: Path) -> None:
    key = "sk-" + "a1B2" * 10
    words = [ChatMessageAssistant(content=f"I use {key}. " + "long " * 2000) for _ in range(30)]
    messages = [ChatMessageUser(content="Do it."), *words]
    Run("react", [attempt("prune", "failed", messages=messages)], model="m").write(tmp_path)
    Run("oracle", [attempt("prune", "passed", messages=messages)]).write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    (transcript,) = _data(page)["transcripts"].values()
    total, is_cut, source, steps = transcript
    assert (total, is_cut, source) == (30, 1, "react.eval"), "one of the measured agent, none of the oracle"
    assert sum(len(text) for _, _, text in steps) < 30_000
    assert key not in json.dumps(steps)
    assert "characters are left out" in steps[0][2]


def test_commands_beside_the_log_stand_in_for_missing_messages(tmp_path: Path) -> None:
    record = CommandTranscript(
        (
            CommandEntry("write", b"run.py", b"print(1)"),
            CommandEntry("exec", b"python run.py", b"", b"1\n", 0),
        )
    )
    sample = attempt("prune", "failed")
    assert sample.scores is not None
    details = sample.scores["assay"].metadata
    assert details is not None
    details["transcript"] = record.store(tmp_path / "transcripts")
    Run("custom", [sample], model="m").write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    ((_, _, source, steps),) = _data(page)["transcripts"].values()
    assert source == f"transcripts/{details['transcript']}.tar.gz"
    assert steps == [
        ["file", "run.py", "print(1)"],
        ["command", "", "python run.py"],
        ["output", "exit code 0", "1\n"],
    ]


def test_the_data_holds_every_attempt_with_its_evidence(demo: str) -> None:
    attempts, data = _attempts(demo), _data(demo)

    assert sum(map(len, attempts.values())) == 96
    (attempt,) = attempts["adaptive-step-2/react"]
    assert ["result.default.accuracy", "unmet", "agent", "0.6111 against 0.9333 ± 0.0080"] in attempt[
        "verdicts"
    ]
    place = next(place for place, row in enumerate(data["tasks"]) if row[0] == "adaptive-step-2")
    asked = data["asked"][str(place)]
    assert asked.startswith("# Adaptive step sizes")
    (lost,) = attempts["spectral-1/react"]
    assert (lost["outcome"], lost["owner"], lost["error"]) == (
        2,
        "sandbox",
        "SandboxError('the sandbox went away')",
    )


def test_every_address_in_the_page_leads_somewhere(demo: str) -> None:
    outline = Outline(demo)
    attempts = _attempts(demo)
    sections = {one["id"] for tag, one in outline.elements if one.get("id")}
    agents = {row[0] for row in _data(demo)["agents"]}
    types = {row[0] for row in _data(demo)["types"]}

    for link in outline.named("a"):
        address = (link["href"] or "").removeprefix("#")
        name, _, query = address.partition("?")
        if name == "cited":
            assert 0 <= int(parse_qs(query)["at"][0]) < len(_data(demo)["cited"])
        elif name in ("of", "pair"):
            asked = parse_qs(query)
            assert asked["by"][0] in _data(demo)["commands"]
            assert set(asked.get("first", [])) | set(asked.get("second", [])) <= agents
            assert set(asked.get("agent", [])) <= agents
            assert set(asked.get("type", [])) <= types
        elif "/" in name:
            assert "/".join(name.split("/")[:2]) in attempts
        else:
            assert name in sections


def test_every_number_in_a_table_opens_something(demo: str) -> None:
    """A cell with a digit in it holds a link; what names a row, such as k or n, is a heading."""
    cells = re.findall(r"<td[^>]*>(.*?)</td>", demo, re.DOTALL)
    said = [
        (cell, re.sub(r"<[^>]+>", " ", re.sub(r"<(code|svg).*?</\1>", "", cell, flags=re.DOTALL)))
        for cell in cells
    ]

    assert len(cells) > 100
    assert [words.split() for cell, words in said if re.search(r"\d", words) and "<a " not in cell] == []


def test_published_numbers_are_marked_as_published(demo: str) -> None:
    text = " ".join(re.sub(r"<[^>]+>", " ", demo).split())

    for number in ("35.3%", "20.6%", "0.2%", "69.4%", "29.1%"):
        assert number in text
    assert text.count("published on other tasks, not measured here") == 4
    assert "n = 1 reproduction" in text
    assert "n = 2 replication" in text
    assert "over time" not in text, "nothing was scored on the way"


def test_the_ladder_counts_conjunctions(tmp_path: Path) -> None:
    def experiment(**phases: bool) -> list[Verdict]:
        return [
            Verdict(
                item=f"{phase}.x",
                status="met" if well else "unmet",
                evidence="",
                owner=None if well else "agent",
            )
            for phase, well in phases.items()
        ]

    whole = {
        "integrity": True,
        "conclusion": True,
        "design": True,
        "requirement": True,
        "execution": True,
        "result": True,
    }
    graded = [
        Grade(task=f"t{place}", kind="experiment", verdicts=experiment(**whole | change))
        for place, change in enumerate([{}, {"design": False}, {"conclusion": False, "design": False}])
    ]
    metadata = {"assay": {"kind": "experiment", "title": "x"}}
    samples = [attempt(one.task, "passed", metadata=metadata, scores={"assay": score(one)}) for one in graded]
    Run("react", samples, model="m").write(tmp_path)

    (ladder,) = make_figures(read_record(tmp_path).attempts).ladders

    assert {rung: rate.passed for rung, rate in ladder.rungs.items()} == {
        "M": 3, "M·C": 2, "M·C·D": 1, "M·C·D·I": 1, "M·C·D·I·E": 1, "M·C·D·I·E·R": 1
    }  # fmt: skip
    assert {rate.attempts for rate in ladder.rungs.values()} == {3}


def test_each_cheat_is_shown_with_what_caught_it(demo: str) -> None:
    section = demo[demo.index('<section id="cheats"') :]

    assert "Looks for the removed code in the git history." in section
    assert "<code>integrity.history</code>" in section
    assert "6 cheats: all failed as they should" in section
    assert "PASSED; it should have failed" not in section
    assert 'role="alert"' not in demo


def test_a_cheat_that_passes_is_shown_loudly(tmp_path: Path) -> None:
    Run("cheat-clock", [attempt("prune", "passed"), attempt("spectral-1", "failed")]).write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    assert 'role="alert"' in page
    assert "cheat-clock must never pass: 1/2 50%" in page
    assert 'PASSED; it should have failed</strong> on <a href="#prune/cheat-clock">prune</a>' in page
    before_fold = page[page.index('<section id="cheats"') :].partition("<details")[0]
    assert "1 cheat: 1 passed and should not have; 0 failed as they should" in before_fold
    assert "cheat-clock" in before_fold, "a cheat that passed is never folded away"


def test_what_agents_write_stays_text(tmp_path: Path) -> None:
    verdict = Verdict(item=f"integrity.{HOSTILE}", status="unmet", evidence=HOSTILE, owner="agent")
    graded = score(grade("prune", "challenge", "failed", caught=verdict))
    sample = attempt("prune", "failed", scores={"assay": graded}, input=HOSTILE)
    sample.metadata["assay"]["title"] = HOSTILE
    Run("cheat-x", [sample], details={"description": HOSTILE}).write(tmp_path)
    Run("react", [sample], model=HOSTILE).write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    outline = Outline(page)
    assert len(outline.scripts) == 2
    assert outline.named("img") == []
    (found,) = _attempts(page)["prune/cheat-x"]
    assert [f"integrity.{HOSTILE}", "unmet", "agent", showable(HOSTILE)] in found["verdicts"]
    assert _data(page)["tasks"][0][3] == HOSTILE


def test_one_agent_with_two_models_and_one_task_in_two_suites_keep_apart(tmp_path: Path) -> None:
    for place, (model, suite) in enumerate([("x", "demo"), ("y/z", "demo"), ("x", "mlrb")]):
        Run("react", [attempt("prune", "passed")], model=model, suite=suite).write(tmp_path, f"log{place}")

    cells = _attempts(reporting.build(tmp_path, tmp_path).read_text())

    assert set(cells) == {"prune/react-x", "prune/react-y-z", "prune~2/react-x"}


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_a_large_report_stays_below_three_megabytes(count: int) -> None:
    page = reporting.render(LogRecord(attempts=many_attempts(count), logs=1))

    assert len(page.encode()) < 3_000_000
    assert sum(map(len, _attempts(page).values())) == count


@pytest.mark.long
def test_long_evidence_is_cut_until_the_report_fits_and_says_so() -> None:
    noise = random.Random(5)
    attempts = [
        one.model_copy(
            update={
                "verdicts": [
                    Verdict(
                        item=f"result.{item}",
                        status="unmet",
                        evidence=noise.randbytes(2_000).hex(),
                        owner="agent",
                    )
                    for item in range(4)
                ]
            }
        )
        for one in many_attempts(500)
    ]

    page = reporting.render(LogRecord(attempts=attempts, logs=1))

    assert len(page.encode()) < 3_000_000
    evidence = next(iter(_attempts(page).values()))[0]["verdicts"][0][3]
    kept, missing = evidence.split("\x1f")
    assert len(kept) + int(missing) == 4_000


def test_a_report_of_nothing_but_lost_attempts_is_still_a_report(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "error")]).write(tmp_path)

    page = reporting.build(tmp_path, tmp_path).read_text()

    assert "0/1" in page
    assert "so between 0 and 100%" in page


def test_what_measured_agents_hand_in_is_shown_and_the_truth_is_not(tmp_path: Path) -> None:
    secret = Submission({"steps.py": b"the_gold_code()\n"})
    digest = secret.store(tmp_path / "submissions")
    graded = grade("prune", "challenge", "passed").model_copy(update={"submission": digest})
    sample = attempt("prune", "passed", scores={"assay": score(graded)})
    Run("oracle", [sample]).write(tmp_path)

    assert _data(reporting.build(tmp_path, tmp_path).read_text())["diffs"] == {}

    Run("react", [sample], model="m").write(tmp_path)
    assert "+the_gold_code()" in _data(reporting.build(tmp_path, tmp_path).read_text())["diffs"][digest]


def test_a_diff_is_against_the_workspace_where_the_task_is_at_hand(tmp_path: Path) -> None:
    task = masked_task()
    save_task(task, tmp_path / "toys" / "toy")
    digest = Submission({"steps.py": GOLD}).store(tmp_path / "submissions")
    graded = grade("toy_0", "masked", "passed").model_copy(update={"submission": digest})
    about = {"kind": "masked", "n": 1, "digest": task.digest}
    sample = attempt("toy_0", "passed", scores={"assay": score(graded)}, metadata={"assay": about})
    details = {"source": str(tmp_path / "toys")}
    Run("react", [sample], model="m", suite="toys", details=details).write(tmp_path)

    diff = _data(reporting.build(tmp_path, tmp_path).read_text())["diffs"][digest]

    assert diff.startswith("=== steps.py: changed\n@@")
    assert '-    raise NotImplementedError("masked: scale")' in diff
    assert "+    return value * 3.0" in diff
    assert "return value + 1.0" not in diff
