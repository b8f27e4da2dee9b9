"""Requests that code in a sandbox writes for the bridge are served a few at a time, and none is too large."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from inspect_ai.util import OutputLimitExceededError

from assay.sandbox import Box, Confinement
from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment
from assay.sandbox.session.service_requests import MOST_AT_ONCE, TOO_LARGE

FOLDER = "/var/tmp/sandbox-services/bridge/requests"
LISTING = ["find", FOLDER, "-maxdepth", "1", "-name", "*.json", "-type", "f", "-print0"]
WRITE = f"""
import os
os.makedirs({FOLDER!r})
for number in range(40):
    open({FOLDER!r} + f"/{{number}}.json", "w").write("{{}}")
open({FOLDER!r} + "/lists", "w").write("[" + "[]," * 1_000_000 + "[]]")
open({FOLDER!r} + "/large", "w").write(" " * 17_000_000)
start = '{{"id": "long", "method": "generate_completions", "params": {{"json_data": {{"messages": "'
open({FOLDER!r} + "/long", "w").write(start + "x" * 17_000_000)
"""


SHELL = ["/bin/sh", "-c", 'exec "$@"', "sh"]
"""What Inspect puts before the words of its commands; earlier releases put nothing there."""


async def names(environment: BwrapSandboxEnvironment, prefix: list[str]) -> set[str]:
    return set((await environment.exec([*prefix, *LISTING])).stdout.split("\0")) - {""}


async def use(folder: Path, prefix: list[str]) -> tuple[set[str], set[str], set[str]]:
    """The first listing, a second one, and one after half of the requests of the first were answered."""
    async with Box(Confinement(workspace=folder)) as box:
        environment = BwrapSandboxEnvironment(box)
        await environment.exec(["python3", "-c", WRITE])
        first, second = await names(environment, prefix), await names(environment, prefix)
        await environment.exec(["rm", "--", *sorted(first)[: MOST_AT_ONCE // 2]])
        third = await names(environment, prefix)
        for name in ("lists", "large"):
            with pytest.raises(OutputLimitExceededError):
                await environment.exec([*prefix, "cat", "--", f"{FOLDER}/{name}"])
        long = await environment.exec([*prefix, "cat", "--", f"{FOLDER}/long"])
        assert json.loads(long.stdout) == {
            "id": "long",
            "method": "generate_completions",
            "params": {"json_data": TOO_LARGE},
        }
        assert (await environment.exec([*prefix, "cat", "--", sorted(third)[0]])).stdout == "{}"
    return first, second, third


@pytest.mark.parametrize("prefix", [[], SHELL])
def test_few_requests_are_shown_at_once_and_large_ones_are_refused(tmp_path: Path, prefix: list[str]) -> None:
    first, second, third = asyncio.run(use(tmp_path, prefix))
    assert len(first) == MOST_AT_ONCE
    assert second == first
    assert len(third) == MOST_AT_ONCE
    assert len(third & first) == MOST_AT_ONCE - MOST_AT_ONCE // 2
