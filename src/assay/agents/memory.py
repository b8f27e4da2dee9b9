"""What is kept of a long conversation: Inspect's trimming and summaries, by the tokens the service counted.

Inspect's own compaction counts tokens itself, with a vocabulary that it fetches from the network for most
models; here the last answer's usage says how long the conversation is, so it works offline too.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.agent import AgentState
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    ChatMessageUser,
    CompactionSummary,
    get_model,
    trim_messages,
)

WINDOW = 0.5
"""The share of the messages that a sliding window keeps when it is full."""
LONGEST_ANSWER = 4_000
"""Characters that are kept of what a call returned, if the call was too long to be kept."""
DROPPED = "Your last calls were too long to stay in this conversation. What they returned:"


async def cut_down(state: AgentState, memory: str, tokens: int) -> list[ChatMessage] | None:
    """The messages that are kept, or None while the conversation is short enough."""
    usage = state.output.usage
    if memory == "full" or usage is None or usage.total_tokens <= tokens:
        return None
    if memory == "window":
        return await newest(state.messages)
    summary, _ = await CompactionSummary().compact(get_model(), state.messages, [])
    return summary


async def newest(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The newest half of a conversation; where its last calls alone are longer, what they returned."""
    window = await trim_messages(list(messages), preserve=WINDOW)
    turns = [place for place, message in enumerate(messages) if message.role == "assistant"]
    if not turns or any(message.id == messages[turns[-1]].id for message in window):
        return window
    answers = [message for message in messages[turns[-1] :] if isinstance(message, ChatMessageTool)]
    listing = [DROPPED, *map(_in_short, answers)]
    return [*window, ChatMessageUser(content="\n".join(listing))] if answers else window


def _in_short(answer: ChatMessageTool) -> str:
    text = answer.text if answer.error is None else answer.error.message
    cut = f" … ({len(text):,} characters)" if len(text) > LONGEST_ANSWER else ""
    return f"{answer.function}: {text[:LONGEST_ANSWER]}{cut}"
