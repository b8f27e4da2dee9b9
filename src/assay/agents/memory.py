"""What is kept of a long conversation: Inspect's trimming and summaries, by the tokens the service counted.

Inspect's own compaction counts tokens itself, with a vocabulary that it fetches from the network for most
models; here the last answer's usage says how long the conversation is, so it works offline too.
"""

from __future__ import annotations

from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessage, CompactionSummary, get_model, trim_messages

WINDOW = 0.5
"""The share of the messages that a sliding window keeps when it is full."""


async def cut_down(state: AgentState, memory: str, tokens: int) -> list[ChatMessage] | None:
    """The messages that are kept, or None while the conversation is short enough."""
    usage = state.output.usage
    if memory == "full" or usage is None or usage.total_tokens <= tokens:
        return None
    if memory == "window":
        return await trim_messages(state.messages, preserve=WINDOW)
    summary, _ = await CompactionSummary().compact(get_model(), state.messages, [])
    return summary
