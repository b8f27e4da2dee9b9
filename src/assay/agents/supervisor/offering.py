"""Functions and Inspect's own tools as they are offered to a model: by name, with long results shortened.

Names, descriptions and the schemas by which Inspect checks arguments are read from signatures and docstrings.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolError
from inspect_ai.util import OutputLimitExceededError

from assay.agents.file_blocks import LONGEST_ANSWER
from assay.agents.supervisor.output import shorten


def offered(run: Callable[..., Awaitable[str]], name: str) -> ToolDef:
    """A function, or the method of one attempt's object, as a tool; its result is shown whole."""
    definition = ToolDef(run, name=name)

    # Inspect marks the function it is given, and a bound method takes no marks.
    async def execute(**kwargs: Any) -> str:
        length = len(json.dumps(kwargs, default=str))
        if length > LONGEST_ANSWER:
            raise ToolError(
                f"the call has {length:,} characters, at most {LONGEST_ANSWER:,} are read: shorten it"
            )
        return await run(**kwargs)

    return ToolDef(
        execute, name=name, description=definition.description, parameters=definition.parameters, max_output=0
    )


def shortened(tool: Tool) -> ToolDef:
    """One of Inspect's tools, the same to the model, with long results cut by `shorten`."""
    definition = ToolDef(tool)

    async def execute(**kwargs: Any) -> str:
        try:
            return shorten(str(await definition.tool(**kwargs)))
        except OutputLimitExceededError as error:
            why, output = f"its output went over {error.limit_str}", error.truncated_output
        except TimeoutError as error:
            why, output = f"{error}; start what takes longer with start_job()", _partial(error)
        return f"{shorten(output or '')}\n[killed: {why}]"

    return ToolDef(
        execute,
        name=definition.name,
        description=definition.description,
        parameters=definition.parameters,
        parallel=definition.parallel,
        viewer=definition.viewer,
        max_output=0,
    )


def _partial(error: TimeoutError) -> str:
    """What was said until the time was over, where the sandbox kept it."""
    return str(getattr(error, "truncated_output", None) or "")
