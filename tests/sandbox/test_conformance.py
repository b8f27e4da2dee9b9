"""Inspect's own checks of a sandbox provider, run on ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

pytestmark = pytest.mark.anyio

# It waits seven seconds, and so does the test with child processes, which kills the process too.
test_exec_timeout_kills_process = pytest.mark.long(test_exec_timeout_kills_process)  # noqa: F405

NEEDS_SEVERAL_USERS = {
    "test_exec_as_user": "makes a second user as root and runs as both; inside there is one user and no root"
}


@pytest.fixture
async def sandbox_env(request: pytest.FixtureRequest) -> AsyncIterator[SandboxEnvironment]:
    reason = NEEDS_SEVERAL_USERS.get(request.node.originalname)
    if reason is not None:
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    environments = await BwrapSandboxEnvironment.sample_init("conformance", None, {})
    try:
        yield environments["default"]
    finally:
        await BwrapSandboxEnvironment.sample_cleanup("conformance", None, environments, False)
