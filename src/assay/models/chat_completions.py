"""The form of OpenAI's chat completions, as far as a scripted model needs it."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from assay.models.replies import Call, Reply


def completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """The answer as a chat completion, with usage."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [_tool_call(item) for item in reply.calls]
    read, written = _tokens(request["messages"]), _tokens(message)
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.get("model", "scripted"),
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _tool_call(item: Call) -> dict[str, Any]:
    function = {"name": item.tool, "arguments": json.dumps(item.arguments)}
    return {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}


def _tokens(content: Any) -> int:
    return len(json.dumps(content)) // 4 + 1


def chunks(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The same answer as a stream: all of it at once, then how it ended and its usage."""
    [choice] = whole["choices"]
    calls = [{"index": index, **item} for index, item in enumerate(choice["message"].get("tool_calls", []))]
    delta = choice["message"] | ({"tool_calls": calls} if calls else {})
    common = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [
        common | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        common | {"choices": [end]},
        common | {"choices": [], "usage": whole["usage"]},
    ]


def error_body(status: int, message: str) -> dict[str, Any]:
    """An error as OpenAI's clients read it."""
    return {"error": {"message": message, "type": "scripted_error", "code": status}}
