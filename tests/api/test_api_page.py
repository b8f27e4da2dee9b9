"""Every block of docs/api.md runs as written, inside a running event loop; the others call what exists."""

from __future__ import annotations

import ast
import asyncio
import inspect
from pathlib import Path

import pytest

import assay
from tests.docs.markdown_blocks import Block, read_blocks

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
BLOCKS = [block for block in read_blocks(PAGE) if block.language == "python"]


SLOW = ("judge_model=", "assay.grade(", "assay.judge_eval(")
"""Calls that grade, which other tests of these functions do too: `make test` leaves their blocks out."""


def run_inside_an_event_loop(blocks: list[Block]) -> dict[str, object]:
    """Run blocks in order, and return what they leave."""

    async def run_blocks() -> dict[str, object]:
        namespace: dict[str, object] = {}
        for block in blocks:
            if not block.marker.startswith("not run"):
                exec(compile(block.body, block.place, "exec"), namespace)
        return namespace

    return asyncio.run(run_blocks())


def test_the_quick_blocks_run_in_order_inside_a_running_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [block for block in BLOCKS if not any(call in block.body for call in SLOW)]
    namespace = run_inside_an_event_loop(quick)
    assert isinstance(namespace["results"], assay.Results)
    passed = {attempt.agent: attempt.passed for attempt in namespace["results"]}
    assert passed == {"oracle": True, "idle": False}
    assert Path("report.html").is_file()


@pytest.mark.long
def test_all_blocks_run_in_order_inside_a_running_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace = run_inside_an_event_loop(BLOCKS)
    assert isinstance(namespace["again"], assay.Results)
    assert [attempt.passed for attempt in namespace["again"]] == [True]
    assert Path("report.html").is_file()


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_each_call_fits_the_signature(block: Block) -> None:
    for node in ast.walk(ast.parse(block.body)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "assay":
            function = getattr(assay, node.func.attr)
            inspect.signature(function).bind(*node.args, **{word.arg or "": 0 for word in node.keywords})


def test_the_page_has_an_example_of_every_function() -> None:
    called = {
        node.func.attr
        for block in BLOCKS
        for node in ast.walk(ast.parse(block.body))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    functions = {name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))}
    assert functions <= called
