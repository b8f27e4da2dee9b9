"""Requests that code in a sandbox writes for the bridge are served a few at a time, and none is too large."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from inspect_ai.util import OutputLimitExceededError

from assay.sandbox import Box, Confinement
from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment
from assay.sandbox.session.service_requests import MOST_AT_ONCE

FOLDER = "/var/tmp/sandbox-services/bridge/requests"
LISTING = ["find", FOLDER, "-maxdepth", "1", "-name", "*.json", "-type", "f", "-print0"]
WRITE = f"""
import os
os.makedirs({FOLDER!r})
for number in range(40):
    open({FOLDER!r} + f"/{{number}}.json", "w").write("{{}}")
open({FOLDER!r} + "/lists", "w").write("[" + "[]," * 1_000_000 + "[]]")
open({FOLDER!r} + "/large", "w").write(" " * 17_000_000)
"""


async def names(environment: BwrapSandboxEnvironment) -> set[str]:
    return set((await environment.exec(LISTING)).stdout.split("\0")) - {""}


async def use(folder: Path) -> tuple[set[str], set[str], set[str]]:
    """The first listing, a second one, and one after half of the requests of the first were answered."""
    async with Box(Confinement(workspace=folder)) as box:
        environment = BwrapSandboxEnvironment(box)
        await environment.exec(["python3", "-c", WRITE])
        first, second = await names(environment), await names(environment)
        await environment.exec(["rm", "--", *sorted(first)[: MOST_AT_ONCE // 2]])
        third = await names(environment)
        for name in ("lists", "large"):
            with pytest.raises(OutputLimitExceededError):
                await environment.exec(["cat", "--", f"{FOLDER}/{name}"])
        assert (await environment.exec(["cat", "--", sorted(third)[0]])).stdout == "{}"
    return first, second, third


def test_few_requests_are_shown_at_once_and_large_ones_are_refused(tmp_path: Path) -> None:
    first, second, third = asyncio.run(use(tmp_path))
    assert len(first) == MOST_AT_ONCE
    assert second == first
    assert len(third) == MOST_AT_ONCE
    assert len(third & first) == MOST_AT_ONCE - MOST_AT_ONCE // 2
