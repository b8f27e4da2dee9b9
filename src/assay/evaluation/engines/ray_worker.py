"""What runs on the nodes of a Ray cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.agents.request_rate import RateLimits
from assay.errors import AssayError
from assay.evaluation.events import Finished, Started, Waiting

if TYPE_CHECKING:
    from ray.actor import ActorHandle


class RayLink:
    """Connects a worker with the actor of its run."""

    def __init__(self, board: ActorHandle[Any]) -> None:
        import ray

        self._board = board
        self.node = f"{socket.gethostname()}/{ray.get_runtime_context().get_node_id()[:6]}"

    def begin_batch(self, number: int) -> bool:
        """Note that this worker begins a batch; return True if another worker began it earlier."""
        return bool(self._ask(self._board.begin_batch.remote(number)))

    def report(self, event: Finished | Started | Waiting) -> None:
        """Pass an event on to the driver."""
        self._board.report.remote(event)

    def add(self, dollars: float) -> None:
        """Note that this much was spent; wait until it counts for all workers."""
        self._ask(self._board.add.remote(dollars))

    def total(self) -> float:
        """Return what all workers of the run have spent."""
        return float(self._ask(self._board.total.remote()))

    def reserve(self, limits: RateLimits) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        return float(self._ask(self._board.reserve.remote(limits)))

    def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        self._board.add_tokens.remote(tokens)

    def _ask(self, answer: Any) -> Any:
        import ray

        return ray.get(answer)


def make_batch_on_ray(
    order_fields: Mapping[str, Any],
    batch_fields: Mapping[str, Any],
    variables: Mapping[str, str],
    board: ActorHandle[Any],
) -> str | None:
    """Make one batch; return what was wrong where the worker itself could not work."""
    from assay.evaluation.engines.batch_work import RunOrder, make_batch
    from assay.evaluation.engines.batches import Batch

    os.environ.update(variables)
    try:
        make_batch(RunOrder.from_fields(order_fields), Batch.from_fields(batch_fields), RayLink(board))
    except AssayError as error:
        return error.message if error.hint is None else f"{error.message} (hint: {error.hint})"
    return None
