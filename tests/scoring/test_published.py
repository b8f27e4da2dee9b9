"""Published numbers made again: from small tables of our own, and from the real ones where they are here."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.autoexperiment.published import recompute_autoexperiment
from assay.benchmarks.expbench.published import judged_tasks, recompute_expbench
from assay.errors import UsageError


def test_table_1_comes_out_of_table_6_where_it_can() -> None:
    tables = recompute_expbench()
    assert tables.judged == 430
    by = {(row.agent, row.model, row.measure): row for row in tables.rows}
    assert len(by) == 7 * 7
    for measure in ("D", "I", "C", "All✓"):
        row = by["OpenHands", "o3-mini", measure]
        assert row.agrees
        assert row.why is None
    odd = by["OpenHands", "Amazon Nova Pro", "E"]
    assert odd.recomputed == pytest.approx(0.125, abs=0.001)
    assert not odd.agrees
    assert "executed tasks only" in (odd.why or "")
    assert all((row.why is None) == row.agrees for row in tables.rows)
    assert all(each.judged <= each.tasks for each in tables.categories)
    assert sum(each.tasks for each in tables.categories) == 461


@given(st.integers(1, 120), st.data())
def test_the_number_of_tasks_is_told_by_the_shares(n: int, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=12))
    shares = [round(count / n, 3) for count in counts]
    found = judged_tasks(shares, 120)
    assert all(abs(round(share * found) / found - share) <= 0.000501 for share in shares)
    assert judged_tasks(shares, n) == n


def test_rates_pairs_and_repeats_from_rows(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    first = ["combined-id,all_correct", "1_1,TRUE", "1_2,TRUE", "1_3,FALSE", "NULL,FALSE", '"1_1,2",FALSE']
    second = ["combined-id,all_correct", "1_1,FALSE", "1_2,TRUE", "1_3,", "1_4,FALSE"]
    (tmp_path / "results" / "dynamic_claude_3_5.csv").write_text("\n".join(first))
    (tmp_path / "results" / "claude_3_7_n_1.csv").write_text("\n".join(second))
    runs = ["Combined ID,Run 1,Run 2,Run 3,Pass@5", "1_1,TRUE,FALSE,FALSE,x", "1_2,TRUE,TRUE,,x", ",2,1,0,"]
    (tmp_path / "verifier_gpt4o.csv").write_text("\n".join(runs))
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")

    found = recompute_autoexperiment(tmp_path)

    rates = {(each.model, each.n): each for each in found.rates if each.from_rows}
    assert set(rates) == {("Claude 3.5 Sonnet", 1), ("Claude 3.5 Sonnet", 2), ("Claude 3.7 Sonnet", 1)}
    rate = rates["Claude 3.7 Sonnet", 1].rate
    assert rate is not None
    assert (rate.passed, rate.attempts, rate.missing) == (1, 4, {"grader": 1})
    assert rates["Claude 3.7 Sonnet", 1].agrees is False
    [pair] = found.pairs
    assert (pair.tasks, pair.first_only, pair.second_only, pair.p) == (2, 1, 0, 1.0)
    [model] = found.repeated
    assert (model.model, model.tasks, model.attempts) == ("GPT-4o", 2, 5)
    assert model.repeats[1].pass_at == pytest.approx((2 / 3 + 1) / 2)
    assert model.repeats[1].pass_all == pytest.approx(0.5)
    assert (model.repeats[2].tasks, model.repeats[2].undefined) == (1, 1)
    assert any("phantom" in each.what for each in found.findings)
    assert any("without an outcome" in each.what for each in found.findings)


def test_without_rows_the_totals_still_have_intervals(tmp_path: Path) -> None:
    found = recompute_autoexperiment(None)
    assert len(found.rates) == 20
    assert found.pairs == []
    for each in found.rates:
        assert each.agrees
        assert each.rate is not None
        assert not each.from_rows
        assert each.rate.high is not None
        assert each.published is not None
        assert each.rate.high > each.published
    with pytest.raises(UsageError, match="no published result tables"):
        recompute_autoexperiment(tmp_path)


def test_the_published_rows_say_what_the_paper_says_but_once(data: Path) -> None:
    found = recompute_autoexperiment(data / "autoexperiment" / "published_results")
    rates = {each.model: each for each in found.rates if each.from_rows}
    assert {model for model, each in rates.items() if each.agrees} == {
        "GPT-4o",
        "Claude 3.5 Sonnet",
        "Claude 3.7 Sonnet",
    }
    mini = rates["GPT-4o mini"].rate
    assert mini is not None
    assert (mini.passed, mini.attempts, mini.unknown) == (22, 85, 3)
    pair = next(each for each in found.pairs if each.second == "Claude 3.7 Sonnet")
    assert (pair.first_only, pair.second_only) == (0, 4)
    assert pair.p == 0.125
    assert any("copied block" in each.what for each in found.findings)
