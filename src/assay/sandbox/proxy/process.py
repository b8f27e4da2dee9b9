"""The network of a sandbox: a proxy on the host that listens on the sandbox's own loopback.

The resident process creates the listening socket inside and sends it to the harness. So code inside cannot
kill or change the proxy, and the sandbox's network has only loopback.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from assay.errors import SandboxError
from assay.sandbox.monitor.observations import ProxyRequest, read_requests
from assay.sandbox.proxy.allowed_hosts import parse_allowed
from assay.sandbox.session.resident_client import ResidentClient

PORT = 3128
_ADDRESS = f"http://127.0.0.1:{PORT}"
_NO_PROXY = "localhost,127.0.0.1,::1,box"
VARIABLES: Mapping[str, str] = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _ADDRESS),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), _NO_PROXY),
    # A refusal is final: do not ask for a password or retry for minutes.
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_RETRIES": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
"""Environment variables that point curl, pip, uv, git and Python's libraries to the proxy."""
_ANSWER_SECONDS = 30.0
_END_SECONDS = 10.0


class ProxyProcess:
    """The running proxy of one sandbox."""

    def __init__(
        self, resident: ResidentClient, hosts: Sequence[str], limits: Mapping[str, float] | None = None
    ) -> None:
        parse_allowed(hosts)
        with resident.send({"do": "listen", "port": PORT}) as pending:
            report, listener = pending.next_report(seconds=_ANSWER_SECONDS)
        if listener is None:
            raise SandboxError(f"no socket for the proxy: {os.strerror(report.get('error', 0))}")
        self._log = os.memfd_create("assay-requests", os.MFD_CLOEXEC)
        arguments = {
            "listener": listener,
            "log": self._log,
            "hosts": list(hosts),
            "limits": dict(limits or {}),
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", "assay.sandbox.proxy.server", json.dumps(arguments)],
                pass_fds=[listener, self._log],
                stdin=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # the log contains errors, and an agent can cause many
                env={},
                cwd="/",
                process_group=0,
            )
        except BaseException:
            os.close(self._log)
            raise
        finally:
            os.close(listener)

    def read(self) -> tuple[ProxyRequest, ...]:
        """Return all requests until now."""
        return read_requests(os.pread(self._log, os.fstat(self._log).st_size, 0))

    def check(self) -> None:
        """Raise if the proxy has ended: then a failed request is not the agent's fault."""
        if (code := self._process.poll()) is not None:
            raise SandboxError(f"the proxy ended with code {code}")

    def close(self) -> None:
        """End the proxy with all its open requests."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._process.kill()
        self._process.wait()
        os.close(self._log)
