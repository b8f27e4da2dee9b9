from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.scoring import Scorecard, read_record, role_of, scorecard
from tests.synthetic_logs import Run, attempt, write_demo
from tests.ten_digits import to_ten_digits

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Scorecard:
    return scorecard(read_record(write_demo(tmp_path_factory.mktemp("logs"))))


def test_agents_stand_before_calibrators_odd_ones_and_cheats(demo: Scorecard) -> None:
    names = [(card.role, card.agent) for card in demo.agents]

    assert names[:6] == [
        ("agent", "agentless"),
        ("agent", "react"),
        ("calibrator", "oracle"),
        ("calibrator", "idle"),
        ("honest", "honest-names"),
        ("honest", "honest-slow"),
    ]
    assert {role for role, _ in names[6:]} == {"cheat"}


def test_a_suite_adds_up_to_its_kinds(demo: Scorecard) -> None:
    for card in demo.agents:
        (suite,) = card.suites
        assert suite.attempts == sum(kind.attempts for kind in suite.kinds.values())
        assert suite.passed == sum(kind.passed for kind in suite.kinds.values())


def test_unknown_attempts_are_counted_with_their_owners(demo: Scorecard) -> None:
    (suite,) = next(card.suites for card in demo.agents if card.agent == "react")

    assert (suite.attempts, suite.scored, suite.passed) == (12, 8, 4)
    assert suite.missing == {"sandbox": 4}
    assert (suite.rate, suite.rate_scored, suite.bound_high) == (4 / 12, 0.5, 8 / 12)
    assert (suite.tasks, suite.certified, suite.tokens) == (12, 11, 12 * 2560)
    assert list(suite.kinds) == ["masked", "experiment", "challenge"]
    assert {masks: rate.attempts for masks, rate in suite.masks.items()} == {"1": 3, "2": 2, "3": 1}


def test_repeated_attempts_give_pass_at_k(demo: Scorecard) -> None:
    (suite,) = next(card.suites for card in demo.agents if card.agent == "agentless")

    assert [(one.k, one.pass_at) for one in suite.repeats] == [
        (1, pytest.approx(1 / 36)),
        (2, pytest.approx(2 / 36)),
        (3, pytest.approx(3 / 36)),
    ]


def test_known_worth_is_checked(tmp_path: Path) -> None:
    Run("oracle", [attempt("prune", "passed")]).write(tmp_path)
    Run("idle", [attempt("prune", "failed")]).write(tmp_path)
    Run("cheat-clock", [attempt("prune", "passed")]).write(tmp_path)
    Run("honest-files", [attempt("prune", "failed")]).write(tmp_path)
    Run("react", [attempt("prune", "failed")]).write(tmp_path)

    found = {card.agent: card.as_expected for card in scorecard(read_record(tmp_path)).agents}

    assert found == {"react": None, "oracle": True, "idle": True, "honest-files": False, "cheat-clock": False}


def test_a_log_may_state_the_role(tmp_path: Path) -> None:
    Run("slow-but-right", [attempt("prune", "passed")], details={"role": "honest"}).write(tmp_path)

    assert [card.role for card in scorecard(read_record(tmp_path)).agents] == ["honest"]
    assert role_of("react", "something else") == "agent"


def test_suites_stand_apart(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "passed")]).write(tmp_path, "a")
    Run("react", [attempt("prune", "failed")], suite="mlrb-mini").write(tmp_path, "b")

    (card,) = scorecard(read_record(tmp_path)).agents

    assert [(suite.suite, suite.passed, suite.attempts) for suite in card.suites] == [
        ("demo", 1, 1),
        ("mlrb-mini", 0, 1),
    ]


def test_the_shape_is_the_documented_one(tmp_path: Path) -> None:
    """The example in the document is the whole scorecard of this one log."""
    Run("react", [attempt("prune", "passed"), attempt("prune", "error", epoch=2)], model="openai/x").write(
        tmp_path
    )
    example = re.search(r"<!-- report -->\n```json\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert example is not None

    found = json.loads(
        json.dumps(scorecard(read_record(tmp_path)).to_json(), allow_nan=False), parse_float=to_ten_digits
    )

    assert found == json.loads(example.group(1), parse_float=to_ten_digits)
