"""The part of OpenAI's chat completions format that a scripted model needs."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from assay.models.replies import Call, Reply


def chat_completion(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Return the reply as a chat completion, with usage."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [_tool_call(tool_call) for tool_call in reply.calls]
    prompt_tokens, reply_tokens = count_tokens(request["messages"]), count_tokens(message)
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.get("model", "scripted"),
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": reply_tokens,
            "total_tokens": prompt_tokens + reply_tokens,
        },
    }


def _tool_call(call: Call) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": call.arguments_text}
    return {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}


def count_tokens(content: Any) -> int:
    """Return how many tokens some JSON counts as: one for four characters."""
    return len(json.dumps(content)) // 4 + 1


def stream_chunks(completion: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a completion as stream chunks: the whole message, the finish reason, the usage."""
    [choice] = completion["choices"]
    calls = [
        {"index": index, **tool_call}
        for index, tool_call in enumerate(choice["message"].get("tool_calls", []))
    ]
    delta = choice["message"] | ({"tool_calls": calls} if calls else {})
    common = {key: completion[key] for key in ("id", "created", "model")} | {
        "object": "chat.completion.chunk"
    }
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [
        common | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        common | {"choices": [end]},
        common | {"choices": [], "usage": completion["usage"]},
    ]


def error_body(status: int, message: str, *, parameter: str | None = None) -> dict[str, Any]:
    """Return an error in OpenAI's format; `parameter` is the part of the request that is refused."""
    return {"error": {"message": message, "type": "scripted_error", "code": status, "param": parameter}}
