"""The supervisor and its workers over real HTTP: plan, work, replan, hand in; budgets, memory and jobs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from assay.agents import Budget
from assay.errors import UsageError
from assay.models.replies import Call, Reply
from assay.models.scripted import call, failure
from assay.scoring import read_attempts
from tests.agents.conftest import Tried, Try

FILL = "sed -i 's/raise NotImplementedError.*/return value * 3.0/' steps.py"


def finish(note: str = "steps.py is filled") -> Reply:
    return call("finish", note=note)


def done(summary: str) -> Reply:
    return call("report", done=True, summary=summary)


def tools_offered(tried: Tried, number: int) -> set[str]:
    return {each["function"]["name"] for each in tried.requests[number]["tools"]}


def kept(tried: Tried, name: str) -> Any:
    return tried.sample.store[f"Notebook:{name}"]


def test_plan_two_workers_replan_and_finish(attempt: Try) -> None:
    tried = attempt(
        "supervisor",
        [
            call("make_plan", steps=["read the paper", "fill in scale"]),
            call("work_on", step=1),
            call("bash", command="grep -o 'value by [0-9.]*' paper.md"),
            call("take_note", note="the paper says 3.0"),
            done("the factor is in the paper"),
            call("make_plan", steps=["write 3.0 into steps.py"], reason="the factor is known"),
            call("work_on", step=1, advice="look at the notes"),
            call("bash", command=FILL),
            done("filled"),
            finish("scale multiplies by 3.0"),
        ],
        Budget(turns=40, tokens=900_000, seconds=300, cost=9.0),
        price=(10.0, 10.0),
    )
    assert tried.passed, tried.sample.error
    assert len(tried.requests) == 10
    assert "value by 3.0" in tried.asked(3), "the first action's result reaches the worker"
    assert "the factor is in the paper\n\n[harness: 3 of 30 turns; bash ×1" in tried.asked(5)
    brief = tried.asked(7)
    assert "Fill in `scale`" in brief
    assert "- the paper says 3.0" in brief
    assert "Step 1: write 3.0 into steps.py" in brief
    assert "look at the notes" in brief
    assert "value by 3.0" not in brief, "a worker begins with a fresh memory"
    assert kept(tried, "plans") == 2
    assert kept(tried, "submission_note") == "scale multiplies by 3.0"
    told = [re.search(r"Left of your budget: .*", tried.asked(number)) for number in range(10)]
    assert all(told), "supervisor and workers are told at every turn what is left"
    assert "40 turns, 900,000 tokens, $9.0000, 300 seconds" in tried.asked(0)
    assert "\nLeft of your budget: 37 turns" in tried.asked(4)


def test_tools_are_the_originals_and_more(attempt: Try) -> None:
    tried = attempt(
        "supervisor",
        [call("make_plan", steps=["a"]), call("work_on", step=1), done("nothing"), finish()],
    )
    files = {"read_file", "write_code", "insert_code", "replace_code", "delete_code"}
    jobs, notes = {"poll_job", "stop_job"}, {"take_note", "scratchpad", "read_notes", "think"}
    assert tools_offered(tried, 0) == {"make_plan", "work_on", "finish", "read_file"} | jobs | notes
    assert tools_offered(tried, 2) == {"bash", "python", "report", "start_job"} | files | jobs | notes


def test_with_end_budget_only_the_budget_ends_an_attempt(attempt: Try) -> None:
    plan = call("make_plan", steps=["a"])
    tried = attempt("supervisor[end=budget]", [plan] * 9, Budget(turns=5))
    assert "finish" not in tools_offered(tried, 0)
    assert "you cannot end earlier" in tried.asked(0)
    assert tried.score["limit"] == "turn"


def test_another_planner_plans_and_both_are_counted(attempt: Try) -> None:
    planner = "openai-api/scripted/planner"
    tried = attempt(
        f"supervisor[planner={planner}]",
        [
            call("make_plan", steps=["fill"]),
            call("work_on", step=1),
            call("bash", command=FILL),
            done("filled"),
            finish(),
        ],
    )
    assert tried.passed
    assert [each["model"] for each in tried.requests] == ["planner", "planner", "any", "any", "planner"]
    usage = tried.sample.model_usage
    assert set(usage) == {planner, "openai-api/scripted/any"}
    assert all(each.total_tokens > 0 for each in usage.values())
    (read,) = read_attempts([tried.logs])
    assert read.tokens == sum(each.total_tokens for each in usage.values())
    assert read.agent == f"supervisor[planner={planner}]"


def test_a_planner_of_unknown_price_makes_the_cost_unknown_and_no_cap_binds_on_it(attempt: Try) -> None:
    named = "supervisor[planner=openai-api/scripted/unpriced]"
    with pytest.raises(UsageError, match="price of the planner openai-api/scripted/unpriced is not known"):
        attempt(named, [finish()], Budget(cost=1.0), price=(9, 9))
    with pytest.raises(UsageError, match="there is no provider 'nobody'"):
        attempt("supervisor[planner=nobody/knows]", [finish()])
    script = [call("make_plan", steps=["a"]), call("work_on", step=1), done("a"), finish()]
    tried = attempt(named, script, price=(9, 9))
    (read,) = read_attempts([tried.logs])
    assert read.cost is None, "the part that is known would be too low"


def test_workers_end_at_their_turns_and_their_last_result_is_reported(attempt: Try) -> None:
    tried = attempt(
        "supervisor[worker_turns=2,replans=1]",
        [
            call("make_plan", steps=["look"]),
            call("work_on", step=2),
            call("work_on", step=1),
            "I will finish(done) and return_fn() now.",
            call("bash", command="echo seen-$((40+2))"),
            call("make_plan", steps=["again"]),
            call("make_plan", steps=["and again"]),
            finish(),
        ],
    )
    assert "there is no step 2" in tried.asked(2)
    assert "last turn: call report() now" in tried.asked(4)
    told = tried.asked(5)
    assert "No report: the worker's turns ended" in told
    assert "Its last words: I will finish(done)" in told
    assert "Its last result: seen-42" in told
    assert "[harness: 2 of 2 turns; bash ×1; 0 calls failed]" in told
    assert "all 1 replans are used" in tried.asked(7)
    assert kept(tried, "plan") == ["again"]


def test_limits_bind_in_the_middle_of_a_worker(attempt: Try) -> None:
    def answer(messages: list[dict[str, Any]]) -> Reply:
        if "You supervise" not in str(messages[0]["content"]):
            return call("bash", command=FILL)
        asked = sum(each["role"] == "assistant" for each in messages)
        return call("make_plan", steps=["fill"]) if asked == 0 else call("work_on", step=1)

    turns = attempt("supervisor", answer, Budget(turns=6))
    assert turns.score["limit"] == "turn"
    assert len(turns.requests) <= 7
    assert turns.passed, "what was left is graded"


def test_limits_bind_where_one_answer_sends_many_workers(attempt: Try) -> None:
    def answer(messages: list[dict[str, Any]]) -> Reply:
        if "You supervise" not in str(messages[0]["content"]):
            return call("bash", command="true")
        asked = sum(each["role"] == "assistant" for each in messages)
        many = Reply(calls=tuple(Call("work_on", {"step": 1}) for _ in range(20)))
        return call("make_plan", steps=["fill"]) if asked == 0 else many

    tried = attempt("supervisor", answer, Budget(turns=4))
    assert tried.score["limit"] == "turn"
    assert len(tried.requests) <= 5


def test_a_plan_of_very_many_steps_is_refused(attempt: Try) -> None:
    tried = attempt("supervisor", [call("make_plan", steps=["again"] * 101), finish()])
    answers = [each["content"] for each in tried.requests[-1]["messages"] if each["role"] == "tool"]
    assert "the plan has 101 steps, at most 100 are allowed" in answers[0]


def test_talk_of_finishing_ends_nothing(attempt: Try) -> None:
    tried = attempt("supervisor", lambda messages: "return_fn: finish() report() submit()", Budget(turns=3))
    assert tried.score["limit"] == "turn"
    assert "Go on with a tool" in tried.asked(2)


def test_notes_outlive_the_conversation_and_the_newest_output_is_kept(attempt: Try) -> None:
    noisy = "head -c 6000 /dev/zero | tr '\\0' x"
    long = [call("bash", command=f"{noisy}; echo; echo mark-{number}") for number in range(5)]
    tried = attempt(
        "supervisor[memory_tokens=5000]",
        [
            call("make_plan", steps=["look around"]),
            call("work_on", step=1),
            call("take_note", note="the seed is 17"),
            call("scratchpad", content="tried: nothing yet"),
            *long,
            done("looked"),
            finish(),
        ],
    )
    last = tried.asked(9)
    assert "mark-0" not in last
    assert "mark-4" in last
    assert "Step 1: look around" in last
    dropped = [each for each in tried.requests[9]["messages"] if each["role"] == "user"]
    again = [each["content"] for each in dropped if each["content"].startswith("Kept by the harness")]
    assert len(again) == 1
    assert "the seed is 17" in again[0]
    assert "tried: nothing yet" in again[0]


def test_a_background_job_goes_on_between_workers(attempt: Try) -> None:
    waiting = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended-$((40+2)); exit 3"
    tried = attempt(
        "supervisor",
        [
            call("make_plan", steps=["start", "wait"]),
            call("work_on", step=1),
            call("start_job", command=waiting),
            call("poll_job", job=1),
            call("start_job", command="sleep 1000 & echo $! > child; sleep 1000"),
            done("started"),
            call("work_on", step=2),
            call("bash", command="touch go"),
            call("poll_job", job=1, wait=20),
            call("poll_job", job=7),
            call("stop_job", job=2),
            call("bash", command="kill -0 $(cat child) && echo alive || echo gone-$((40+2))"),
            call("bash", command="rm -r /tmp/jobs/1"),
            call("poll_job", job=1),
            done("ended"),
            finish(),
        ],
    )
    assert "Background jobs: job 1: echo begun" in tried.asked(6)
    told = tried.asked(12)
    assert "Job 1: ended with exit code 3." in told
    assert "ended-42" in told
    assert "there is no job 7: 1, 2" in told
    assert "Job 2: killed." in told
    assert "gone-42" in told
    assert "Job 1: lost: its files are gone." in tried.asked(14)


def test_wrong_arguments_and_edits_that_do_not_fit_are_errors_to_the_model(attempt: Try) -> None:
    wrong = [
        call("replace_code", path="steps.py", old="no such text", new="x"),
        call("replace_code", path="steps.py", old="value", new="x"),
        call("insert_code", path="steps.py", line=900, content="x"),
        call("delete_code", path="steps.py", first=3, last=2),
        call("insert_code", path="steps.py", content="x"),
        call("write_code", path=["steps.py"], content="x"),
        call("return_fn", submission="x"),
        call("read_file", file_path="absent.py"),
        call("bash", command="yes x | head -c 5000000 > long.txt"),
        call("delete_code", path="long.txt", first=1, last=1),
        call("replace_code", path="long.txt", old="y", new="z"),
    ]
    right = [
        call(
            "replace_code",
            path="steps.py",
            old='raise NotImplementedError("masked: scale")',
            new="return value",
        ),
        call("write_code", path="new/one.txt", content="1\n2\n3\n4"),
        call("insert_code", path="new/one.txt", line=4, content="5"),
        call("delete_code", path="new/one.txt", first=2, last=3),
        call("read_file", file_path="new/one.txt", offset=1, limit=2),
        call("replace_code", path="steps.py", old="return value\n", new="return value * 3.0\n"),
        call("bash", command="seq 1 9000"),
    ]
    tried = attempt(
        "supervisor",
        [
            call("make_plan", steps=["edit"]),
            call("work_on", step=1),
            *wrong,
            *right,
            done("edited"),
            finish(),
        ],
    )
    assert tried.passed
    results = [each["content"] for each in tried.requests[-2]["messages"] if each["role"] == "tool"]
    absent, twice, far, turned, missing, typed, unknown, unread, _, *long = results[:11]
    assert "nothing was replaced: steps.py does not hold this text" in absent
    assert "holds this text" in twice
    assert "has no line 900" in far
    assert "are not there" in turned
    assert "'line' is a required property" in missing
    assert "is not of type 'string'" in typed
    assert "return_fn" in unknown
    assert "File not found: absent.py" in unread
    assert all("5,000,000 characters, at most 4,000,000 can be edited" in answer for answer in long)
    assert results[15] == "2\t4\n3\t5"
    assert results[17].startswith("1\n2\n")
    assert results[17].rstrip().endswith("\n9000")
    assert "characters left out here" in results[17]
    assert len(results[17]) < 12_200


@pytest.mark.long
def test_a_model_that_fails_a_worker_is_not_the_agents_failure(attempt: Try) -> None:
    # 401 is not asked again: the provider's library repeats a 500 after a pause of its own.
    replies = [call("make_plan", steps=["a"]), call("work_on", step=1)] + [failure(401)] * 20
    tried = attempt("supervisor", replies, generate={"max_retries": 0}, service_seconds=2)
    assert not tried.sample.scores
    assert tried.sample.error is not None
    assert "model service" in tried.sample.error.message


def test_a_very_long_call_is_refused_in_one_line(attempt: Try) -> None:
    long_calls = (
        Call("make_plan", {"steps": ["do x" * 50_000] * 10}),
        Call("take_note", {"note": "n" * 1_100_000}),
    )
    tried = attempt("supervisor", [Reply(calls=long_calls), finish()])
    assert tried.asked(-1).count("at most 1,048,576 are read: shorten it") == 2
    assert "do x" not in tried.asked(-1)
    assert "Notebook:plan" not in tried.sample.store or not tried.sample.store["Notebook:plan"]
