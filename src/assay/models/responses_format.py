"""The part of OpenAI's responses format that a scripted model needs.

Inspect asks new models of OpenAI (`openai/gpt-5` and later) in this format, and others as chat completions.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from assay.models.chat_completions import count_tokens
from assay.models.replies import Call, Message, Reply


def chat_messages(request: dict[str, Any]) -> list[Message]:
    """Return the input of a request as messages of chat completions, as scripts read them."""
    given = request["input"]
    entries = [{"role": "user", "content": given}] if isinstance(given, str) else given
    instructions = request.get("instructions")
    first = [{"role": "system", "content": instructions}] if instructions else []
    return [*first, *(message for entry in entries if (message := _message(entry)) is not None)]


def _message(entry: dict[str, Any]) -> Message | None:
    match entry.get("type", "message"):
        case "message":
            return {"role": entry["role"], "content": _text(entry["content"])}
        case "function_call":
            function = {"name": entry["name"], "arguments": entry["arguments"]}
            calls = [{"id": entry["call_id"], "type": "function", "function": function}]
            return {"role": "assistant", "content": "", "tool_calls": calls}
        case "function_call_output":
            return {"role": "tool", "tool_call_id": entry["call_id"], "content": _text(entry["output"])}
        case _:
            return None


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def model_response(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Return the reply as a response, with usage."""
    output = [_output_text(reply.text)] if reply.text or not reply.calls else []
    output += [_function_call(tool_call) for tool_call in reply.calls]
    input_tokens, output_tokens = count_tokens(request["input"]), count_tokens(output)
    return {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": request.get("model", "scripted"),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input_tokens + output_tokens,
        },
    }


def _output_text(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _function_call(call: Call) -> dict[str, Any]:
    return {
        "id": f"fc_{uuid.uuid4().hex}",
        "type": "function_call",
        "call_id": f"call_{uuid.uuid4().hex[:12]}",
        "name": call.tool,
        "arguments": call.arguments_text,
        "status": "completed",
    }
