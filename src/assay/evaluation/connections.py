"""Connections to the model's service: so many that no attempt waits until another one gives some back.

Inspect holds a connection for the whole life of a request, with the pauses between its retries. So a program
that sends many requests which the service refuses would hold all connections of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.agents.bridge_traffic import MOST_AT_A_TIME, SPARE_CONNECTIONS, ConnectionShare


def share_connections(generate: Mapping[str, Any], at_once: int) -> tuple[dict[str, Any], ConnectionShare]:
    """Return Inspect's settings and each attempt's share, for so many attempts at once.

    If the user limits the connections, every attempt gets an equal part of them, but at least one.
    """
    limit = generate.get("max_connections")
    if limit is not None:
        share = (int(limit) - SPARE_CONNECTIONS) // at_once
        return {}, ConnectionShare(most=max(1, min(MOST_AT_A_TIME, share)))
    if generate.get("adaptive_connections") is not None:
        return {}, ConnectionShare()
    from inspect_ai.util import AdaptiveConcurrency

    needed = MOST_AT_A_TIME * at_once + SPARE_CONNECTIONS
    bounds = AdaptiveConcurrency(min=needed, start=needed, max=max(100, needed))
    return {"adaptive_connections": bounds}, ConnectionShare()
