"""Private names of Inspect: one module has them all, each exists, and each has a reason."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import anyio
import pytest
from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools
from inspect_ai.tool import Tool, ToolCall, ToolInfo, ToolParam, ToolParams, tool

import assay
from assay import inspect_private

SOURCE = Path(assay.__file__).parent
PRIVATE = re.compile(r"inspect_ai(?:\.[a-z]\w*)*\._")


@pytest.mark.parametrize("name", sorted(inspect_private.NAMES))
def test_this_release_of_inspect_has_the_name(name: str) -> None:
    place = inspect_private.NAMES[name]
    assert PRIVATE.match(place.module), "a public name needs no place here"
    assert getattr(inspect_private, name) is getattr(import_module(place.module), name)
    assert len(place.purpose.split()) >= 4


@pytest.mark.parametrize(
    "module",
    [
        *inspect_private.LATE_MODULES,
        *inspect_private.LATE_MODULES_OF_MODELS,
        *inspect_private.BRIDGE_LOGGERS,
        inspect_private.ACP_SERVER,
    ],
)
def test_this_release_of_inspect_has_the_module(module: str) -> None:
    assert find_spec(module) is not None


@pytest.mark.parametrize("module", sorted(inspect_private.UNUSED_MODULES))
def test_this_release_of_inspect_has_the_unused_module(module: str) -> None:
    entry = inspect_private.UNUSED_MODULES[module]
    imported = import_module(module)
    assert all(callable(getattr(imported, name)) for name in entry.names)
    assert len(entry.reason.split()) >= 4


@pytest.mark.parametrize(("module", "name"), inspect_private.USAGE_READERS)
def test_this_release_of_inspect_reads_usage_there(module: str, name: str) -> None:
    assert callable(getattr(import_module(module), name))


def test_no_other_module_names_anything_private_of_inspect() -> None:
    users = [
        path.relative_to(SOURCE).as_posix()
        for path in sorted(SOURCE.rglob("*.py"))
        if PRIVATE.search(path.read_text())
    ]
    assert users == ["inspect_private.py"]


def test_every_name_is_used() -> None:
    texts = [path.read_text() for path in SOURCE.rglob("*.py") if path.name != "inspect_private.py"]
    lines = [
        names for text in texts for names in re.findall(r"from assay\.inspect_private import ([^\n]+)", text)
    ]
    used = {part.split(" as ")[0] for line in lines for part in line.split(", ")}
    others = {"BRIDGE_LOGGERS", "LATE_MODULES", "LATE_MODULES_OF_MODELS", "UNUSED_MODULES"}
    others |= {"forget_models", "leave_event_loops_alone", "read_plain_arguments", "retry_requests_after"}
    others |= {"bound_tag_searches", "call_many_tools_in_turn", "without_unused_parts"}
    others |= {"check_bridge_requests", "end_programs_within", "number_messages_quickly"}
    others |= {"close_models", "drop_impossible_counts", "keep_first_tool_calls", "sample_so_far"}
    assert used == {*inspect_private.NAMES, *others}


def test_this_release_of_inspect_has_the_flag_of_nested_loops() -> None:
    module, flag = inspect_private.NESTING
    assert isinstance(getattr(import_module(module), flag), bool)


def test_parts_that_an_evaluation_does_not_use_are_left_out_and_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = getattr(import_module(inspect_private.ACP_SESSION[0]), inspect_private.ACP_SESSION[1])
    module, flag = (import_module(inspect_private.OPENAI_STATE[0]), inspect_private.OPENAI_STATE[1])
    client = find_spec("openai")
    assert client is not None
    monkeypatch.delitem(sys.modules, inspect_private.ACP_SERVER, raising=False)
    monkeypatch.setattr(module, flag, getattr(module, flag))
    with inspect_private.without_unused_parts(asks_models=False):
        assert session.get() is True
        monkeypatch.delitem(sys.modules, "openai", raising=False)
        assert not getattr(module, flag)
        monkeypatch.setitem(sys.modules, "openai", module_from_spec(client))
        assert getattr(module, flag), "a provider has been imported"
        unused = import_module(inspect_private.ACP_SERVER)
        assert isinstance(unused.acp_server(eval_id="any", transport=None), contextlib.nullcontext)
    assert session.get() is False
    with inspect_private.without_unused_parts(asks_models=True):
        assert getattr(module, flag) is True
    assert unused.acp_server_accepting_clients() is False
    real = import_module(inspect_private.ACP_SERVER)
    assert (real is unused, hasattr(real, "AcpServer")) == (False, True)


@pytest.mark.parametrize("quiet", [True, False])
def test_the_table_of_an_evaluation_is_drawn_only_where_it_is_seen(quiet: bool) -> None:
    from rich.console import Console

    module, name = inspect_private.LIVE_TABLE
    owner = import_module(module)
    drawn_before = getattr(owner, name)
    drawings: list[str] = []

    class Table:
        def __rich__(self) -> str:
            drawings.append("drawn")
            return "table"

    console = Console(file=io.StringIO(), quiet=quiet)
    with (
        inspect_private.without_unused_parts(asks_models=True),
        getattr(owner, name)(None, console=console, auto_refresh=False) as live,
    ):
        live.update(Table(), refresh=True)
    assert bool(drawings) is not quiet
    assert getattr(owner, name) is drawn_before


def test_this_release_of_inspect_keeps_models_where_they_can_be_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from inspect_ai.model import get_model

    name = "openai-api/kept/any"
    monkeypatch.setenv("KEPT_API_KEY", "none")
    monkeypatch.setenv("KEPT_BASE_URL", "http://127.0.0.1:9")
    kept = get_model(name)
    assert get_model(name) is kept
    inspect_private.forget_models()
    assert get_model(name) is not kept


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no 'eval'"):
        inspect_private.eval  # noqa: B018


def test_tags_are_found_where_that_takes_no_long_time() -> None:
    inspect_private.bound_tag_searches()
    reasoning = import_module(inspect_private.TAG_SEARCHES[0])
    text, found = reasoning.parse_content_with_reasoning("<think>why <think>not</think></think> yes")
    assert (text, found.reasoning) == ("yes", "why <think>not</think>")
    for opening in ("<think>", "<think", "<think><summary>"):
        endless = opening * 1_000_000
        assert reasoning.parse_content_with_reasoning(endless) == (endless, None)
    internal = import_module(inspect_private.TAG_SEARCHES[1])
    assert internal.parse_content_with_internal("a<internal>MQ==</internal>b", "internal") == ("ab", 1)
    endless = "<internal>" * 1_000_000
    assert internal.parse_content_with_internal(endless, "internal") == (endless, None)


def test_messages_of_a_bridge_keep_their_ids_and_many_are_numbered_at_once() -> None:
    types = import_module(inspect_private.BRIDGE_TYPES)
    apply = import_module("inspect_ai.agent._bridge.util").apply_message_ids
    inspect_private.number_messages_quickly()
    bridge = types.AgentBridge(AgentState(messages=[]))

    def ids(*texts: str) -> list[str | None]:
        messages = [ChatMessageUser(content=text) for text in texts]
        apply(bridge, messages)
        return [message.id for message in messages]

    first = ids("a", "b", "a")
    assert len(set(first)) == 3
    assert ids("a", "b", "a", "c", "a")[:3] == first
    assert ids("b", "a") == [first[1], first[0]]
    assert len(set(ids(*["again"] * 20_000))) == 20_000


def test_arguments_of_tools_are_read_as_json_or_text() -> None:
    inspect_private.read_plain_arguments()
    parse = import_module(inspect_private.TOOL_CALLS).parse_tool_call
    bash = ToolInfo(name="bash", description="", parameters=ToolParams(properties={"command": ToolParam()}))
    for text, value in {
        "ls -l": "ls -l",
        "3": 3,
        "true": True,
        '"a text"': "a text",
        "2001-01-01": "2001-01-01",
        "!!binary gIGC": "!!binary gIGC",
        "0x" + "f" * 5_000: "0x" + "f" * 5_000,
        "1" * 5_000: "1" * 5_000,
        '{"command": ' + "1" * 5_000 + "}": "1" * 5_000,
    }.items():
        assert parse("1", "bash", text, [bash]).arguments == {"command": value}


@pytest.mark.parametrize(("count", "at_once"), [(8, 8), (inspect_private.MOST_CALLS_AT_ONCE + 1, 1)])
def test_an_answer_with_very_many_tool_calls_is_worked_through_in_turn(count: int, at_once: int) -> None:
    inspect_private.call_many_tools_in_turn()
    running = [0]
    most = [0]

    @tool(parallel=True)
    def watched() -> Tool:
        async def execute() -> str:
            """Count the calls that run."""
            running[0] += 1
            most[0] = max(most[0], running[0])
            await anyio.sleep(0.01)
            running[0] -= 1
            return "done"

        return execute

    calls = [ToolCall(id=str(number), function="watched", arguments={}) for number in range(count)]
    message = ChatMessageAssistant(content="", tool_calls=calls)
    answered = anyio.run(execute_tools, [message], [watched()])
    assert [result.text for result in answered.messages] == ["done"] * count
    assert most == [at_once]
