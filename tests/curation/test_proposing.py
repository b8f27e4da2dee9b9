"""A model proposes commands, links and texts over real HTTP; runs and rules decide what counts."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.curation import CurationOptions, CurationResult, ModelChoice, curate
from assay.curation.drafting.instruction import instruction_of
from assay.curation.proposing.text_proposals import shows_result
from assay.curation.publishing_suite import PublishStage, data_card, model_parts
from assay.errors import ModelUnavailable
from assay.models.scripted import Message, ScriptedServer, failure
from tests.curation.made_up import LICENCE

SCRIPT = """import argparse

WIDTH = 0.35
DEPTH = 4

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, required=True)
steps = parser.parse_args().steps
left = sum(WIDTH ** power for power in range(1, DEPTH)) * steps
print("first sum", round(left, 3))
print("other way", round(left / (DEPTH + WIDTH), 3))
print("unrelated", round(left + 0.5, 3))
"""
PAPER = """# Sums

| way | size |
|---|---|
| direct | 3.09 |
| divided | 0.71 |
"""
METHOD = (
    "The powers of the width are added up to the depth and multiplied by the steps. "
    "Then the sum is divided by depth plus width. The direct way gives about 3.1. "
    "The divided way is lower."
)
ANSWERS = {
    "commands": {
        "commands": [
            {"command": "python sums.py --steps 6", "why": "six steps"},
            {"command": "python sums.py --steps 6; touch /tmp/x", "why": "two commands"},
            {"command": "rm -rf /", "why": "no script"},
        ]
    },
    "links": {"links": [{"cell": "c1", "output": "o1"}, {"cell": "c2", "output": "o2"}, {"cell": "c9"}]},
    "texts": {"title": "Two ways to add", "method": METHOD},
}


def _kind(prompt: str) -> str:
    return "commands" if "shell commands" in prompt else "links" if "Cells of a table" in prompt else "texts"


def _answers(changes: dict[str, object] | None = None) -> Callable[[list[Message]], str]:
    table = {**ANSWERS, **(changes or {})}
    return lambda messages: "Here it is: " + json.dumps(table[_kind(str(messages[-1]["content"]))])


def _options(folder: Path, server: ScriptedServer, name: str, lines: list[str]) -> CurationOptions:
    return CurationOptions(
        paper=folder / "paper.md",
        repository=str(folder / "repository"),
        out=folder / "out",
        seconds=30.0,
        last_stage="drafts",
        model=ModelChoice(f"openai-api/scripted/{name}", server.base_url),
        report=lines.append,
    )


@pytest.fixture(scope="module", autouse=True)
def _key() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRIPTED_API_KEY", "none")
        yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("proposed")
    (folder / "repository").mkdir()
    (folder / "repository" / "sums.py").write_text(SCRIPT)
    (folder / "repository" / "LICENSE").write_text(LICENCE)
    (folder / "paper.md").write_text(PAPER)
    return folder


Proposed = tuple[CurationResult, list[str], list[str]]


@pytest.fixture(scope="module")
def proposed(source: Path) -> Proposed:
    lines: list[str] = []
    with ScriptedServer(_answers()) as server:
        result = curate(_options(source, server, "good", lines))
        prompts = [str(request["messages"][-1]["content"]) for request in server.requests]
        again = curate(_options(source, server, "good", lines))
        assert len(server.requests) == len(prompts), "the same question is asked once"
    assert again.drafts == result.drafts
    return result, lines, prompts


@pytest.mark.long
def test_a_proposed_command_runs_and_one_that_is_no_script_does_not(proposed: Proposed) -> None:
    result, lines, _ = proposed
    assert result.runs is not None
    commands = [(run.command.origin, run.command.command, run.failure) for run in result.runs.commands]
    assert commands == [
        ("script", "python sums.py", "missing arguments"),
        ("model", "python sums.py --steps 6", None),
    ]
    assert result.runs.commands[1].command.place.kind == "model"
    budget = [line for line in lines if line.startswith("model: openai-api/scripted/good: 1 request")]
    assert len(budget) == 3
    assert all(re.search(r"about \d+ tokens in, at most 2000 tokens out, at a", line) for line in budget)


def test_a_proposed_link_counts_if_the_run_has_the_printed_number(proposed: Proposed) -> None:
    result, _, prompts = proposed
    assert result.links is not None
    assert [(link.row_label, link.printed.text, link.basis) for link in result.links.links] == [
        ("direct", "3.09", ["value", "model"]),
        ("divided", "0.71", ["value", "model"]),
    ]
    question = next(prompt for prompt in prompts if _kind(prompt) == "links")
    assert not re.search(r"\d\.\d", question), "the model sees no number, so agreement is evidence"


def test_a_written_method_loses_the_sentences_that_give_the_result(proposed: Proposed) -> None:
    result, _, _ = proposed
    assert result.drafts is not None
    (draft,) = result.drafts.tasks
    assert draft.method.source == "model"
    assert draft.method.value.endswith("divided by depth plus width.")
    assert draft.method.cuts == ["The divided way is lower.", "The direct way gives about 3.1."]
    assert [place.kind for place in draft.method.evidence] == ["model", "paper"]
    assert draft.title.source == "paper", "a text that rules find is not asked for"
    assert list(draft.gaps()) == []


def test_the_data_card_counts_what_a_model_proposed_or_wrote(proposed: Proposed) -> None:
    result, _, _ = proposed
    assert result.runs is not None
    assert result.links is not None
    assert result.drafts is not None
    parts = model_parts(result.runs, result.links, result.drafts)
    assert parts == {"commands": 1, "links": 2, "texts": 1}
    stage = PublishStage(suite="suite", tasks=[], yields=[], seconds=1.0, by_model=parts)
    card = data_card(result.selected, result.paper, stage)
    assert "| proposed or written by a model | 1 commands, 2 links, 1 texts |" in card


def test_an_experiment_without_a_seed_gets_a_setting_that_grading_chooses(proposed: Proposed) -> None:
    result, _, _ = proposed
    assert result.drafts is not None
    (draft,) = result.drafts.tasks
    assert (draft.seeded, draft.fresh_setting) == (False, "WIDTH")
    assert "use 0.35 · (180 − s mod 60) / 200 for `WIDTH`" in instruction_of(draft)


def test_nonsense_and_wrong_links_change_nothing(proposed: Proposed, source: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(source, tmp_path / "copy")
    lines: list[str] = []
    wrong = {"links": [{"cell": "c1", "output": "o3"}, {"cell": "c2", "output": "o1"}]}
    with ScriptedServer(_answers({"links": wrong, "texts": "no"})) as server:
        result = curate(_options(folder, server, "wrong", lines))
    assert result.links is not None
    assert (result.links.links, result.links.refuted) == ([], 2)
    assert "links: the runs refute 2 links that the model proposed" in lines
    nonsense = [lambda messages: "I cannot.", lambda messages: json.dumps({"commands": 3})]
    for number, answer in enumerate(nonsense):
        with ScriptedServer(answer) as server, pytest.raises(Exception, match="does not run"):
            curate(_options(folder, server, f"nonsense-{number}", lines))
    assert sum("is not in the form that was asked for" in line for line in lines) == 2


def test_a_model_that_does_not_answer_is_one_clear_message_and_loses_nothing(
    proposed: Proposed, source: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(source, tmp_path / "copy")
    kept = (folder / "out" / "4-runs.json").read_bytes()
    with ScriptedServer([failure(400)]) as server, pytest.raises(ModelUnavailable) as caught:
        curate(_options(folder, server, "silent", []))
    assert "openai-api/scripted/silent gave no answer" in caught.value.message
    assert (folder / "out" / "4-runs.json").read_bytes() == kept


@pytest.mark.parametrize(
    ("sentence", "shows"),
    [
        ("It is about 0.81.", True),
        ("It is 81.2 percent.", True),
        ("The width is 0.35.", False),
        ("There are 8 steps.", False),
        ("The year 1812 is early.", False),
    ],
)
def test_a_rounded_result_is_found_in_a_sentence(sentence: str, shows: bool) -> None:
    assert shows_result(sentence, [0.8123]) is shows
