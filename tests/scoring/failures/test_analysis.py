"""From failed items to types that can be counted, reviewed and blamed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.grading.verdict import Status, Verdict
from assay.models.scripted import ScriptedServer
from assay.scoring import Attempt, Role, interval
from assay.scoring.failures import (
    FOLLOWS,
    Insight,
    TypeMap,
    analyse,
    model_proposer,
    read_map,
    taxonomy,
    write_map,
)

CRASH = "the run exited with 1: ModuleNotFoundError: No module named 'torch'"
SEEDS = "{} seeds were used, five are required"
ROWS = "{}.csv of run 'default' has no rows at all"


def _attempt(
    agent: str, task: str, items: dict[str, str | None], role: Role = "agent", **more: object
) -> Attempt:
    """An attempt whose items are met where they have no evidence against them."""
    verdicts = []
    for item, against in items.items():
        status: Status = "met" if against is None else "unmet"
        verdicts.append(
            Verdict(
                item=item,
                status=status,
                evidence=against or "well",
                owner=None if against is None else "agent",
            )
        )
    passed = all(verdict.status == "met" for verdict in verdicts)
    fields: dict[str, object] = {
        "suite": "demo", "agent": agent, "model": "m", "task": task, "epoch": 1, "role": role,
        "kind": "experiment",
        "passed": passed, "verdicts": verdicts, "log": f"logs/{agent}.eval", "sample": f"{agent}-{task}",
    }  # fmt: skip
    return Attempt.model_validate(fields | more)


def _types(insights: Iterable[Insight]) -> dict[tuple[str, str], str]:
    return {(insight.task, insight.item): insight.type for insight in insights}


def test_an_insight_has_phase_owner_words_and_the_way_to_the_transcript() -> None:
    crashed = _attempt("react", "a", {"execution.default": CRASH, "result.default.x": f"no number: {CRASH}"})

    (insight, follower) = analyse([crashed]).insights

    assert (insight.phase, insight.item, insight.owner) == ("execution", "execution.default", "agent")
    assert (insight.type, insight.by, insight.quote) == ("missing-module", "rule", CRASH)
    assert (insight.log, insight.sample) == ("logs/react.eval", "react-a")
    assert follower.type == FOLLOWS


def test_prevalence_has_denominators_intervals_agents_and_the_published_share() -> None:
    fine: dict[str, str | None] = {"execution.default": None, "design.depth": None}
    attempts = [
        _attempt("one", "a", {**fine, "execution.default": CRASH}),
        _attempt("one", "b", {**fine, "design.depth": "the design names no 'depth'"}),
        _attempt("two", "a", fine),
        _attempt("two", "c", {"execution.default": None}),
    ]

    rows = analyse(attempts).prevalence

    whole = {row.type.id: row for row in rows if row.agent is None}
    assert (whole["missing-module"].shown, whole["missing-module"].attempts) == (1, 4)
    assert (whole["missing-module"].low, whole["missing-module"].high) == interval(1, 4)
    assert (whole["design-variable"].shown, whole["design-variable"].attempts) == (1, 3)
    assert whole["design-variable"].share == 1.0
    published = whole["missing-module"].type.published
    assert published is not None
    assert (published.percent, published.table) == (29.38, 2)
    assert {(row.agent, row.type.id, row.shown, row.attempts) for row in rows if row.agent} == {
        ("one", "missing-module", 1, 2),
        ("one", "design-variable", 1, 2),
    }


def test_the_published_shares_are_those_of_the_paper() -> None:
    shares = {kind.published.name: kind.published.percent for kind in taxonomy().values() if kind.published}

    assert shares["Missing Essential Implementation Components"] == 39.71
    assert shares["Missing Conclusion Content"] == 26.18
    assert shares["Execution Script and File Errors"] == 23.84
    assert len(shares) == len([kind for kind in taxonomy().values() if kind.published])


def test_what_no_rule_knows_is_grouped_by_its_words() -> None:
    attempts = [
        *(_attempt("x", f"s{n}", {"requirement.seeds": SEEDS.format(n)}) for n in ("one", "two", "three")),
        *(_attempt("x", f"r{n}", {"requirement.rows": ROWS.format(n)}) for n in ("curves", "weights")),
        _attempt("x", "alone", {"requirement.plot": "nothing was drawn"}),
    ]

    found = analyse(attempts)

    types = _types(found.insights)
    assert types["sone", "requirement.seeds"] == types["sthree", "requirement.seeds"]
    assert types["rcurves", "requirement.rows"] == types["rweights", "requirement.rows"]
    assert len(set(types.values())) == 3
    assert types["alone", "requirement.plot"] == "requirement"
    seeds = found.map.types[types["sone", "requirement.seeds"]]
    assert (seeds.by, seeds.phase) == ("cluster", "implementation")
    assert "seeds were used" in seeds.title


def test_the_map_is_kept_reviewed_and_obeyed(tmp_path: Path) -> None:
    place = tmp_path / "types.json"
    attempts = [_attempt("x", "a", {"execution.default": CRASH, "requirement.seeds": SEEDS.format("two")})]
    write_map(analyse(attempts, type_map=read_map(place)).map, place)
    table = json.loads(place.read_text())
    (mark,) = [mark for mark, each in table["assignments"].items() if each["quote"] == CRASH]
    assert table["assignments"][mark] == {
        "by": "rule", "phase": "execution", "quote": CRASH, "type": "missing-module"
    }  # fmt: skip
    table["assignments"][mark] |= {"type": "no-torch", "by": "person"}
    table["types"]["no-torch"] = {
        "id": "no-torch", "phase": "execution", "title": "wants a GPU library", "by": "person",
        "published": None,
    }  # fmt: skip
    place.write_text(json.dumps(table))

    again = analyse(attempts, type_map=read_map(place))

    assert _types(again.insights)["a", "execution.default"] == "no-torch"
    assert [row.type.title for row in again.prevalence if row.agent is None][-1] == "wants a GPU library"
    write_map(again.map, tmp_path / "second.json")
    assert json.loads((tmp_path / "second.json").read_text()) == table


def test_a_map_with_an_unknown_type_says_which(tmp_path: Path) -> None:
    place = tmp_path / "types.json"
    assignment = {"type": "nonsense", "by": "person", "phase": "execution", "quote": "x"}
    place.write_text(json.dumps({"assignments": {"0123": assignment}}))

    with pytest.raises(UsageError, match="assignment 0123 names the type 'nonsense'"):
        read_map(place)


def test_a_model_names_what_no_rule_knows_and_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = [
        _attempt("x", "a", {"execution.default": CRASH, "requirement.seeds": SEEDS.format("two")}),
        _attempt("x", "b", {"requirement.rows": ROWS.format("curves")}),
    ]
    answer = {"types": [
        {"group": 1, "type": "Too few seeds", "title": "fewer seeds than required"},
        {"group": 2, "type": "missing-module", "title": "of another phase: not believed"},
        {"group": 9, "type": "nobody", "title": "there is no such group"},
    ]}  # fmt: skip
    with ScriptedServer([json.dumps(answer)]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        found = analyse(attempts, propose=model_proposer("openai-api/scripted/any"))

    types = _types(found.insights)
    assert types["a", "execution.default"] == "missing-module"
    assert types["a", "requirement.seeds"] == "too-few-seeds"
    assert found.map.types["too-few-seeds"].by == "model"
    assert types["b", "requirement.rows"] == "requirement"
    asked = json.dumps(server.requests[0])
    assert len(server.requests) == 1
    assert "two seeds were used" in asked
    assert "ModuleNotFoundError" not in asked


def test_a_model_that_talks_nonsense_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = [_attempt("x", "a", {"requirement.seeds": SEEDS.format("two")})]
    with ScriptedServer(["I would rather not."]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        found = analyse(attempts, propose=model_proposer("openai-api/scripted/any"))

    assert found.map == analyse(attempts).map


BAD: dict[str, str | None] = {"requirement.seeds": SEEDS.format("two")}
GOOD: dict[str, str | None] = {"requirement.seeds": None}


@pytest.mark.parametrize(
    ("others", "certified", "fault", "because"),
    [
        ([], True, "agent", "the task is certified"),
        ([("oracle", GOOD, "calibrator")], False, "agent", "oracle met this item"),
        ([("other", GOOD, "agent")], False, "agent", "other met this item"),
        ([("oracle", BAD, "calibrator")], False, "task", "an agent that must pass does not meet"),
        ([("other", BAD, "agent")], False, None, "none of 2 agents met this item"),
        ([], False, None, "no other agent tried it"),
    ],
)
def test_whose_fault_it_is(
    others: list[tuple[str, dict[str, str | None], Role]], certified: bool, fault: str | None, because: str
) -> None:
    attempts = [_attempt("react", "a", BAD, certified=certified)]
    attempts += [_attempt(agent, "a", items, role, certified=certified) for agent, items, role in others]

    insight = analyse(attempts).insights[0]

    assert insight.fault == fault
    assert because in insight.because


def test_the_most_frequent_failures_are_shared_out_between_agent_and_source() -> None:
    attempts = [
        *(_attempt("react", task, BAD, certified=True) for task in ("a", "b")),
        _attempt("react", "c", BAD),
        _attempt("oracle", "c", BAD, "calibrator"),
        _attempt("react", "d", BAD),
        _attempt("oracle", "d", GOOD, "calibrator"),
        _attempt("react", "e", BAD),
        _attempt("react", "f", {}, passed=None, owner="model", error="RateLimitError: 429"),
    ]

    seeds, lost = analyse(attempts).sources

    assert (seeds.insights, seeds.agent, seeds.source, seeds.other, seeds.unknown) == (5, 3, 1, 0, 1)
    assert seeds.shown_by == {"certificate": 2, "gold run": 2}
    assert (lost.other, lost.shown_by) == (1, {"harness": 1})


def test_what_the_harness_lost_is_not_the_agents_fault() -> None:
    lost = _attempt("x", "a", {}, passed=None, owner="model", error="RateLimitError: 429")
    unknown = Verdict(
        item="execution.default", status="unknown", evidence="the disk was full", owner="sandbox"
    )
    broken = _attempt("x", "b", {}, passed=None, owner="sandbox").model_copy(update={"verdicts": [unknown]})

    found = analyse([lost, broken])

    assert [(one.type, one.phase, one.fault) for one in found.insights] == [
        ("model-service", "infrastructure", "model"),
        ("sandbox", "infrastructure", "sandbox"),
    ]


def test_calibrators_are_witnesses_and_not_counted() -> None:
    idle = _attempt("idle", "a", BAD, "calibrator")

    assert analyse([idle]).insights == []
    assert analyse([idle]).map == TypeMap()
    assert len(analyse([idle], roles=("calibrator",)).insights) == 1
