"""assay fetch, audit, suites, show and published on tasks in EXP-Bench's layout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.benchmarks.expbench.gold_runs import truth_of
from tests.benchmarks.published_experiments import PAPER, shared_tasks, write_repository, write_tasks
from tests.cli.conftest import Command


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test that needs it puts what is fetched."""
    return tmp_path_factory.mktemp("expbench")


@pytest.fixture
def fetched(assay: Command, shared_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache holds the stand-in and its repository."""
    if not (shared_folder / "two").exists():
        monkeypatch.setenv("ASSAY_CACHE", str(shared_folder / "cache"))
        _fetch(assay, shared_folder)
    shutil.copytree(shared_folder / "cache", tmp_path / "cache", symlinks=True)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def _fetch(assay: Command, folder: Path) -> None:
    said = assay("fetch", "expbench", "--source", write_tasks(folder / "tasks"))
    assert said.code == 0, said.err
    assert "a plain folder without a commit" in said.out
    commit = write_repository(folder / "two")
    said = assay("fetch", "expbench", "--paper", f"{PAPER}={folder / 'two'}", "--commit", commit, "--json")
    assert said.code == 0, said.err
    told = json.loads(said.out)
    assert told["papers"][PAPER]["commit"] == commit
    assert told["papers"][PAPER]["environment"] == f"assay env build --paper {PAPER}"
    assert told["address"] == str(folder / "tasks")


@pytest.mark.usefixtures("fetched")
def test_from_files_to_a_task_that_can_be_shown(assay: Command) -> None:
    assert "3 tasks" in assay("suites").out
    listed = json.loads(assay("suites", "expbench", "--json").out)["tasks"]
    assert [row["id"] for row in listed] == [f"{PAPER}/{number}" for number in range(3)]
    first = listed[0]
    assert (first["type"], first["category"], first["difficulty"]) == ("T1", "Causality", 2)
    assert first["splits"][:2] == ["clean", "full"]
    assert "an environment" in first["needs"]
    assert first["gradable"] == {
        "design": 4,
        "implementation": 3,
        "execution": 1,
        "conclusion": 1,
        "all": 9,
    }
    assert first["digest"] is None
    assert "1 tasks" in assay("suites", "expbench", "--split", "lite").out
    assert "3 tasks" in assay("suites", "expbench?split=cpu").out
    shown = assay("show", f"expbench/{PAPER}/0")
    assert shown.code == 0, shown.err
    assert "Does the first method beat the second?" in shown.out
    assert "14.25" not in shown.out


HAND_IN = """
cat > design.json <<'END'
{"constant": {"data": "three numbers"}, "independent": {"method": ["first", "second"]}, "dependent": ["gain"]}
END
cat > conclusion.json <<'END'
{"summary": "The first gains more.", "claims": {"outcome": "The first method gains more than the second."}}
END
echo 'python work.py' > reproduce.sh
cat > work.py <<'END'
import json
from method import first, second
data = [1.0, 2.0, 4.0]
gains = {"first": sum(map(first, data)), "second": sum(map(second, data))}
json.dump(gains, open("results.json", "w"))
END
"""


@pytest.mark.usefixtures("fetched")
def test_a_run_is_scored_phase_by_phase_beside_the_oracle_and_the_idle_agent(
    assay: Command, tmp_path: Path
) -> None:
    """Without a judge what must be read is unknown: it stays in every denominator, with its reason."""
    suite, logs = f"expbench?ids={PAPER}/0", tmp_path / "logs"
    agents = ("--agent", "oracle", "--agent", "idle", "--agent-command", HAND_IN)
    said = assay("run", suite, *agents, "--logs", logs, "--uncertified")
    assert said.code in (0, 1), said.err
    card = json.loads(assay("report", logs, "--json").out)
    found = {agent["role"]: agent["suites"][0]["experiments"] for agent in card["agents"][:2]}
    measured, oracle = found["agent"], found["calibrator"]
    idle = card["agents"][2]["suites"][0]["experiments"]

    assert oracle["credit"]["D"]["mean"] == oracle["credit"]["I"]["mean"] == 1.0
    assert idle["measures"]["All✓"]["rate"]["bound_high"] == idle["credit"]["D"]["bound_high"] == 0
    everything = measured["measures"]["All✓"]
    assert (everything["rate"]["passed"], everything["rate"]["attempts"]) == (0, 1)
    assert measured["credit"]["D"]["items"] == 4
    unread = {why for phase in measured["decided"].values() for why in phase["reasons"]}
    assert any("--judge-model" in why for why in unread)
    for phase, credit in measured["credit"].items():
        decided = measured["decided"].get(phase)
        assert decided is None or decided["none"] == credit["unknown"]
    assert measured["truth"] == {truth_of(f"{PAPER}/0"): 1}
    assert "the ladder" in said.out.lower()


def test_what_is_left_out_is_counted_and_named(assay: Command) -> None:
    source = shared_tasks()
    plain = assay("suites", "expbench", "--source", source).out
    assert "449 tasks" in plain
    assert "12 tasks (neurips2024/96897/0, " in plain
    listed = json.loads(assay("suites", "expbench?split=full", "--source", source, "--json").out)
    assert (len(listed["tasks"]), listed["left_out"]) == (461, [])


def test_what_decides_each_item_is_counted_by_phase_and_type(assay: Command) -> None:
    source = shared_tasks()
    told = json.loads(assay("audit", "expbench", "--decidable", "--source", source, "--json").out)
    assert sum(told["all"].values()) == 7989
    assert told["phases"]["execution"]["all"] == {"running": 452, "text": 0, "reading": 0, "none": 9}
    for phase in told["phases"].values():
        counts = [sum(counts.values()) for counts in phase["types"].values()]
        assert sum(counts) == sum(phase["all"].values())
        assert sum(phase["reasons"]["none"].values()) == phase["all"]["none"]
    plain = assay("audit", "expbench", "--decidable", "--source", source).out
    assert "by running alone" in plain.splitlines()[-1]
    refused = assay("audit", "demo", "--decidable")
    assert (refused.code, "does not say what decides" in refused.err) == (2, True)


@pytest.mark.long
def test_the_whole_audit_beside_the_claim(assay: Command) -> None:
    source = shared_tasks()
    told = json.loads(assay("audit", "expbench", "--source", source, "--json").out)
    assert told["gradable"]["all"] == 7989
    assert told["gradable"]["claimed"] == "over 12,000"
    assert (told["counts"]["wrapped"], told["counts"]["table"], told["counts"]["leak"]) == (42, 125, 38)
    assert len(told["findings"]) == sum(told["counts"].values())
    assert sum(told["gradable_by_task"].values()) == 7989


def test_an_audit_is_printed_beside_the_claim(assay: Command, tmp_path: Path) -> None:
    plain = assay("audit", "expbench", "--source", write_tasks(tmp_path / "tasks")).out
    assert "the paper claims over 12,000" in plain
    assert "3 tasks of" in plain


def test_a_reader_looks_for_the_outcome_in_the_prompts(assay: Command) -> None:
    source = shared_tasks()
    words = ("audit", "expbench", "--source", source, "--judge-model", "assay/scripted-judge", "--limit", "3")
    told = json.loads(assay(*words, "--json").out)
    assert told["judge_model"] == "assay/scripted-judge"
    assert len({part["task"] for part in told["parts"]}) == 3
    assert sum(told["published"].values()) == sum(told["redacted"].values()) == len(told["parts"])
    assert "3 prompts" in assay(*words).out.splitlines()[0]
    refused = assay("audit", "demo", "--judge-model", "assay/scripted-judge")
    assert (refused.code, "has no outcomes that a reader" in refused.err) == (2, True)


def test_a_plan_needs_no_repository_and_prices_both_models(
    assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    assert assay("fetch", "expbench", "--source", write_tasks(tmp_path / "tasks")).code == 0
    prices = ("--price", "1,4", "--judge-price", "2,8")
    models = ("--model", "openai/none-such", "--judge-model", "openai/no-judge", "--judge-repeats", "2")
    planned = assay("plan", "expbench?split=cpu", *models, *prices, "--json")
    assert planned.code == 0, planned.err
    told = json.loads(planned.out)
    judge = told["judge"]
    assert told["tasks"] == 3
    assert judge["calls"] >= 2 * judge["items"] > 0
    dollars = (2 * judge["input_tokens"] + 8 * judge["output_tokens"]) / 1e6
    assert judge["dollars"] == pytest.approx(dollars)
    assert "judge   openai/no-judge" in assay("plan", "expbench", *models, *prices).out


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("suites", "expbench", "--split", "tpu"), "no split 'tpu'"),
        (("suites", "demo", "--split", "lite"), "has no splits"),
        (("fetch", "expbench", "--paper", "none"), "has no paper 'none'"),
        (("audit", "demo"), "no published rows"),
        (("published", "demo"), "no published numbers to recompute"),
        (("published", "autoexperiment", "--source", "/nowhere"), "no folder"),
        (("show", "expbench/iclr2024/1/0"), "has no task"),
    ],
)
def test_what_cannot_be_is_one_clear_line(assay: Command, words: tuple[str, ...], complaint: str) -> None:
    said = assay(*words)
    assert said.code == 2
    assert complaint in said.err


def test_published_numbers_beside_recomputed_ones(assay: Command, tmp_path: Path) -> None:
    plain = assay("published", "expbench").out
    assert "26.8 → 12.5 *" in plain
    assert "executed tasks only" in plain
    told = json.loads(assay("published", "expbench", "--json").out)
    assert len(told["rows"]) == 49
    ladder = {rung["rung"]: (rung["published"], rung["agrees"]) for rung in told["ladder"]}
    assert ladder == {
        "M": (0.206, None),
        "M·C·D": (0.037, None),
        "M·C·D·I": (0.004, True),
        "M·C·D·I·E": (0.002, True),
    }
    assert all(failure["table_2"] == failure["table_8"] for failure in told["failures"])
    impossible = [
        (mean["agent"], mean["model"], mean["unit"]) for mean in told["costs"] if not mean["possible"]
    ]
    assert impossible == [("OH", "3.5 Haiku", "dollars")]

    table = tmp_path / "dynamic_gpt_4o.csv"
    table.write_text('combined-id,all_correct,step\n1_1,TRUE,3\n"1_1,2",FALSE,4\n1_2,,2\n')
    said = assay("published", "autoexperiment", "--source", tmp_path)
    assert said.code == 0, said.err
    assert "1 of 2, 1 without an outcome  differs" in said.out
    assert "from the total: no rows" in said.out
