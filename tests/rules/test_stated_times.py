"""Times on the clock: an invented one is not believed, and an honest one passes on a slower machine."""

from __future__ import annotations

import json

import pytest

from assay.rules.cited_lookup import look_up_cited
from assay.rules.conclusion import grade_conclusion
from assay.rules.ruling import Ruling
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
TIMED = {"a": {"accuracy": 0.8137, "seconds": 2.7}, "b": {"accuracy": 0.6421, "runtime_ms": 450.0}}
UNTIMED = {"a": 0.8137, "b": 0.6421, "time_step": 0.5}


def faithful(text: str, results: object, settings: set[float] | None = None, took: float = 30.0) -> Ruling:
    handed_in = json.dumps({"summary": text, "claims": {"outcome": text}}).encode()
    known: set[float] = {90.0}
    found = look_up_cited(STATEMENT, handed_in, results, known, None, settings or set(), took)
    return grade_conclusion(STATEMENT, handed_in, results, known, settings=settings or set(), lookup=found)[
        -1
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A wins with 0.81; it took 3.2 s.",
        "A wins with 0.81 (1.1 s against 0.4 s).",
        "A wins; they need 5.5 and 0.9 seconds.",
        "A wins, at 480 ms for B.",
        "The whole run took about a minute, 41 seconds.",
        "A wins within the limit of 90 s.",
        "A wins with 0.81, and nothing else matters.",
        "A needs a 5-s interval of 2.7 s.",
    ],
)
def test_honest_times_pass_although_another_machine_is_slower(text: str) -> None:
    assert faithful(text, TIMED).status == "met", faithful(text, TIMED).evidence


@pytest.mark.parametrize("text", ["A wins; it took 3 hours.", "A wins in 95 minutes.", "B needs 0.8 ms."])
def test_a_time_that_contradicts_the_times_of_the_results_is_unfaithful(text: str) -> None:
    found = faithful(text, TIMED)
    assert (found.status, found.owner) == ("unmet", "agent")
    assert "re-made times are from 0.45 to 2.7 s" in found.evidence


def test_a_time_that_no_result_shows_is_a_doubt() -> None:
    found = faithful("A wins with 0.81; training took 0.2 s.", UNTIMED)
    assert (found.status, found.owner) == ("unknown", "agent")
    assert "states 0.2 s, and no re-made time is of this size" in found.evidence
    assert faithful("A wins with 0.81; the run took 25 s.", UNTIMED).status == "met"
    assert faithful("Training stops after 0.2 s.", UNTIMED, settings={0.2}).status == "met"


def test_a_number_that_nothing_shows_is_named_beside_a_doubtful_time() -> None:
    found = faithful("A wins with 0.93; training took 0.2 s.", UNTIMED)
    assert found.status == "unknown"
    assert found.evidence.startswith("cites 0.93")


def test_a_table_of_times_may_have_methods_and_sizes_below_its_name() -> None:
    table = {"computational_time_s": {"modular": {"nodes_4": 0.08}, "joint": {"nodes_4": 0.41}}}
    assert faithful("A wins; it needs 0.1 s against 0.4 s.", table).status == "met"
