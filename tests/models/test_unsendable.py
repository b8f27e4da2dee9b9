"""A request that no client can write is the fault of the program that made it, not of the service."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from tenacity import RetryError

from assay.agents.encodable import make_encodable
from assay.agents.request_faults import fails_in_model
from assay.models.scripted import ScriptedServer, failure

HALF = "half a character: \ud83d"
TOOL = ToolInfo(name="look", description=HALF, parameters=ToolParams())
UNSENDABLE: dict[str, tuple[str, list[ToolInfo], GenerateConfig]] = {
    "message": (HALF, [], GenerateConfig()),
    "tool": ("hello", [TOOL], GenerateConfig()),
    "stop": ("hello", [], GenerateConfig(stop_seqs=[HALF])),
    "extra": ("hello", [], GenerateConfig(extra_body={"note": [HALF]})),
    "not a number": ("hello", [], GenerateConfig(temperature=float("nan"))),
}


def ask(server: ScriptedServer, text: str, tools: list[ToolInfo], config: GenerateConfig) -> None:
    """Send one request with a real client; Assay's hook, which cleans requests, is not asked."""
    model = get_model("openai/gpt-4o", base_url=server.base_url, api_key="none", memoize=False)
    asyncio.run(model.api.generate([ChatMessageUser(content=text)], list(tools), "auto", config))


@pytest.mark.parametrize("case", UNSENDABLE)
def test_it_is_not_the_services_failure(case: str) -> None:
    with ScriptedServer(lambda messages: "yes") as server:
        with pytest.raises((ValueError, TypeError)) as raised:
            ask(server, *UNSENDABLE[case])
        assert server.requests == []
    assert not fails_in_model(raised.value)


def test_a_service_that_fails_is() -> None:
    with ScriptedServer(lambda messages: failure(500)) as server:
        model = get_model("openai/gpt-4o", base_url=server.base_url, api_key="none", memoize=False)
        with pytest.raises(RetryError) as raised:
            asyncio.run(model.generate("hello", config=GenerateConfig(max_retries=0)))
        assert server.requests
    assert fails_in_model(raised.value)


def test_without_half_characters_it_is_sent() -> None:
    config = GenerateConfig(stop_seqs=[HALF], extra_body={"note": [HALF]})
    text, tools, config = make_encodable([HALF, [TOOL.model_copy(deep=True)], config])
    with ScriptedServer(lambda messages: "yes") as server:
        ask(server, text, tools, config)
        assert str(server.requests).count("ud83d") == 4


def test_a_message_nested_very_deep_is_cut_so_that_a_log_can_hold_it() -> None:
    arguments: dict[str, Any] = {}
    for _ in range(5_000):
        arguments = {"a": arguments}
    call = ToolCall(id="1", function="look", arguments=arguments)
    message = ChatMessageAssistant(content="", tool_calls=[call])
    make_encodable([[message]])
    written = message.model_dump_json()
    assert "nested too deep" in written
    assert written.count('{"a":') > 100


def test_integers_and_bytes_that_no_log_can_hold_become_text() -> None:
    values: dict[str, Any] = {
        "large": 1 << 20_000,
        "small": -12,
        "bytes": b"\x80",
        "flag": True,
        "inside": [1 << 20_000],
    }
    make_encodable(values)
    assert values == {
        "large": hex(1 << 20_000), "small": -12, "bytes": "\\x80", "flag": True, "inside": [hex(1 << 20_000)],
    }  # fmt: skip
