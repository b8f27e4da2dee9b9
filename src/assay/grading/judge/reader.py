"""Who reads for the judge: any model that Inspect knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import ModelUnavailable, UsageError
from assay.inspect_private import drop_impossible_counts

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model
    from pydantic import BaseModel

ROLE = "judge"
"""Inspect's name for the model's part, under which its tokens are counted apart."""
ANSWER_TOKENS = 1_000
SMALL_ANSWER = 150
"""Tokens that an answer may take, and characters that a local model may put into one text."""


@dataclass(frozen=True)
class ReaderAnswer:
    """What a reader answered, and what it cost."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """Dollars; None where no price is known."""
    is_refused: bool = False
    """Whether the service refused the text, for example by a filter of contents."""


class ModelReader:
    """A model of Inspect as a reader."""

    def __init__(self, model: str) -> None:
        self._is_local = model.startswith("local/")
        self._model = find_model(model)

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        """Ask the model once."""
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        messages: list[ChatMessage] = [ChatMessageSystem(content=system), ChatMessageUser(content=user)]
        output = await self._model.generate(messages, config=self._config(form))
        is_refused = output.stop_reason == "content_filter"
        if output.usage is None:
            return ReaderAnswer(output.completion, is_refused=is_refused)
        usage = output.usage
        tokens = usage.input_tokens, usage.output_tokens
        return ReaderAnswer(output.completion, *tokens, usage.total_cost, is_refused)

    def _config(self, form: type[BaseModel]) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig, ResponseSchema
        from inspect_ai.util import json_schema

        schema = json_schema(form)
        if self._is_local:
            # A very small model does not end a text by itself; held to a length, its answer gets closed.
            for field in (schema.properties or {}).values():
                field.maxLength = SMALL_ANSWER if field.type == "string" and not field.enum else None
        return GenerateConfig(
            response_schema=ResponseSchema(name="answer", json_schema=schema),
            max_tokens=ANSWER_TOKENS,
            max_retries=4,
            timeout=600,
        )


def find_model(name: str) -> Model:
    """The model by its Inspect name; what is wrong with it is said before anything is graded."""
    from inspect_ai.model import get_model

    drop_impossible_counts()
    try:
        return get_model(name, role=ROLE)
    except ModelUnavailable:
        raise
    except Exception as error:
        raise UsageError(
            f"the judge's model {name!r} cannot be used: {str(error).strip().splitlines()[0][:200]}",
            hint="--judge-model takes any model of Inspect, such as openai/gpt-5 or assay/scripted-judge",
        ) from None
