from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from assay import report
from assay.grading.verdict import Verdict
from assay.scoring import Attempt, Record
from tests.synthetic_logs import Run, attempt, grade, score, write_demo

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
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("logs")
    return report.build(write_demo(folder), folder).read_text()


def test_a_folder_gets_report_html_and_nothing_else(tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    out.mkdir()
    Run("react", [attempt("prune", "passed")]).write(logs)

    assert report.build(logs, out) == out / "report.html"
    assert report.build([logs], out / "deeper" / "mine.html") == out / "deeper" / "mine.html"
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


def test_every_cell_opens_an_attempt_with_its_evidence_and_command(demo: str) -> None:
    data = _data(demo)
    targets = {one["href"] for one in Outline(demo).named("a") if "/" in (one.get("href") or "")}

    assert targets == {f"#{key}" for key in data["cells"]}
    (attempt,) = data["cells"]["adaptive-step-2/react"]
    assert attempt["command"].endswith("react.eval --task adaptive-step-2 --agent react")
    assert ["result.default.accuracy", "unmet", "agent", "0.6111 against 0.9333 ± 0.0080"] in attempt[
        "verdicts"
    ]
    assert data["tasks"]["adaptive-step-2"]["asked"].startswith("# Adaptive step sizes")
    (lost,) = data["cells"]["spectral-1/react"]
    assert lost["command"] == "assay run demo --task spectral-1 --agent react --model openai/gpt-5-mini"
    assert (lost["outcome"], lost["owner"], lost["error"]) == (
        "unknown",
        "sandbox",
        "SandboxError('the sandbox went away')",
    )


def test_each_cheat_is_shown_with_what_caught_it(demo: str) -> None:
    section = demo[demo.index('<section id="cheats"') :]

    assert "Looks for the removed code in the git history." in section
    assert "<code>integrity.history</code>" in section
    assert "NOT CAUGHT" not in section
    assert 'role="alert"' not in demo


def test_a_cheat_that_passes_is_shown_loudly(tmp_path: Path) -> None:
    Run("cheat-clock", [attempt("prune", "passed"), attempt("spectral-1", "failed")]).write(tmp_path)

    page = report.build(tmp_path, tmp_path).read_text()

    assert 'role="alert"' in page
    assert "cheat-clock must never pass: 1/2 50%" in page
    assert 'NOT CAUGHT</strong> on <a href="#prune/cheat-clock">prune</a>' in page


def test_what_agents_write_stays_text(tmp_path: Path) -> None:
    verdict = Verdict(item=f"integrity.{HOSTILE}", status="unmet", evidence=HOSTILE, owner="agent")
    graded = score(grade("prune", "challenge", "failed", caught=verdict))
    sample = attempt("prune", "failed", scores={"assay": graded}, input=HOSTILE)
    sample.metadata["assay"]["title"] = HOSTILE
    Run("cheat-x", [sample], details={"description": HOSTILE}).write(tmp_path)
    Run("react", [sample], model=HOSTILE).write(tmp_path)

    page = report.build(tmp_path, tmp_path).read_text()

    outline = Outline(page)
    assert len(outline.scripts) == 2
    assert outline.named("img") == []
    data = _data(page)
    (found,) = data["cells"]["prune/cheat-x"]
    assert [f"integrity.{HOSTILE}", "unmet", "agent", verdict.evidence] in found["verdicts"]
    assert data["tasks"]["prune"]["title"] == HOSTILE


def test_one_agent_with_two_models_and_one_task_in_two_suites_keep_apart(tmp_path: Path) -> None:
    for place, (model, suite) in enumerate([("x", "demo"), ("y/z", "demo"), ("x", "mlrb")]):
        Run("react", [attempt("prune", "passed")], model=model, suite=suite).write(tmp_path, f"log{place}")

    data = _data(report.build(tmp_path, tmp_path).read_text())

    assert set(data["cells"]) == {"prune/react-x", "prune/react-y-z", "prune~2/react-x"}


def test_a_large_report_stays_below_three_megabytes_and_says_what_it_cut() -> None:
    evidence = "a long line of evidence " * 200
    attempts = [
        Attempt(
            suite="demo",
            agent=f"agent-{place % 10}",
            model="m",
            task=f"task-{place // 10}",
            epoch=1,
            passed=False,
            verdicts=[
                Verdict(item=f"result.{item}", status="unmet", evidence=evidence, owner="agent")
                for item in range(4)
            ],
        )
        for place in range(1000)
    ]

    page = report.render(Record(attempts=attempts, logs=1))

    assert len(page.encode()) < 3_000_000
    assert "more characters stand in the log" in page


def test_a_report_of_nothing_but_lost_attempts_is_still_a_report(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "error")]).write(tmp_path)

    page = report.build(tmp_path, tmp_path).read_text()

    assert "0/1" in page
    assert "so between 0 and 100%" in page
