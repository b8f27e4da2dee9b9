"""What is odd about logs and tables, said beside the numbers instead of changing them."""

from __future__ import annotations

from assay.tasks.metric import Strict


class Finding(Strict):
    """Something about the logs that a reader of the numbers should know."""

    log: str
    """The log, or where it concerns none, the agent or suite."""
    what: str
    """What is unusual about it."""
