"""What is said after every turn, and what is kept of a conversation that grows too long."""

from __future__ import annotations

from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessage, ChatMessageUser

from assay.agents.allowance import what_is_left
from assay.agents.memory import cut_down, newest
from assay.agents.supervisor.notebook import HEADING, Notebook

LAST = "This is your last turn: call report() now."


class Turns:
    """One conversation's turns: their number, the budget that the model sees, and its shortened memory.

    Where messages are dropped the newest are kept, and the notebook is shown again below them.
    """

    def __init__(
        self, notebook: Notebook, word: str, *, memory: str, tokens: int, most: int | None = None
    ) -> None:
        self.notebook, self.word, self.most = notebook, word, most
        self.memory, self.tokens = memory, tokens
        self.made = 0

    async def go_on(self, state: AgentState) -> bool | str | AgentState:
        """Whether there is another turn, and what is said before it."""
        self.made += 1
        if self.most is not None and self.made >= self.most:
            return False
        reminder = "\n".join(filter(None, [self._word(state), what_is_left()]))
        messages = await cut_down(state, self.memory, self.tokens)
        if messages is None:
            return reminder or True
        state.messages = [
            *self._reminded(messages),
            *([ChatMessageUser(content=reminder)] if reminder else []),
        ]
        return state

    async def overflow(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        """What is kept where the model's own context is full."""
        return self._reminded(await newest(messages))

    def _word(self, state: AgentState) -> str:
        if self.most is not None and self.made == self.most - 1:
            return LAST
        return "" if state.output.message.tool_calls else self.word

    def _reminded(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        earlier = [
            message
            for message in messages
            if not (message.role == "user" and message.text.startswith(HEADING))
        ]
        notes = self.notebook.shown()
        return [*earlier, ChatMessageUser(content=notes)] if notes else earlier
