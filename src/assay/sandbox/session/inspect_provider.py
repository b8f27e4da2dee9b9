"""The Inspect sandbox provider `bwrap`: one `Box` for each sample.

A failed request gives the agent an answer and does not end the attempt: a command that cannot start gives a
return code with the reason, and a file error reaches a model as an error of its tool.

Only one user exists inside, not even root, so `exec(user=...)` with another name raises the error with which
Inspect expects an unsupported user.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, overload

from inspect_ai.tool import ToolError
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxConnection,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
)
from pydantic import BaseModel, ConfigDict, Field, field_validator
from typing_extensions import override

from assay.errors import BadRequest, GpuMemoryExceeded, SandboxError, UsageError
from assay.sandbox.confinement import Confinement, Mount, SandboxLimits
from assay.sandbox.engine import find_engine
from assay.sandbox.gpu.pool import Lease, take_gpus
from assay.sandbox.host.machine_turn import MachineTurn, take_turn
from assay.sandbox.proxy.allowed_hosts import parse_allowed
from assay.sandbox.session.box import Box
from assay.sandbox.session.command_record import CommandRecord
from assay.sandbox.session.request_checks import encode_utf8
from assay.sandbox.session.service_requests import (
    MOST_BYTES,
    ServiceRequests,
    has_too_many_parts,
    is_request,
    with_no_content,
)

_USERS = (None, "agent", "1000")


class CommandTimedOut(TimeoutError):
    """A command exceeded its time; Inspect shows its output until then."""

    def __init__(self, message: str, truncated_output: str) -> None:
        super().__init__(message)
        self.truncated_output = truncated_output


class FileFailure(ToolError, OSError):
    """A file could not be read or written, for a reason that Inspect has no error class for."""


_INSPECT_ERRORS = (PermissionError, FileNotFoundError, IsADirectoryError, TimeoutError)
_NOT_STARTED = 126


@contextlib.contextmanager
def _inspect_errors() -> Iterator[None]:
    """Turn file errors into those that Inspect shows to a model."""
    try:
        yield
    except _INSPECT_ERRORS:
        raise
    except (BadRequest, OSError) as error:
        raise FileFailure(str(error)) from error
    except SandboxError as error:
        raise SandboxUnavailableError(str(error)) from error


class BwrapMount(BaseModel):
    """A host path that appears inside."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Path
    target: str
    writable: bool = False
    canary: bool = False
    """If true, the sandbox records which of its files are opened."""


class BwrapConfig(BaseModel):
    """Configuration of a sample's sandbox; every field is optional."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workspace: Path | None = None
    """Mounted copy-on-write at /workspace; None for an empty folder."""
    environment: Path | None = None
    """A virtual environment, read-only."""
    mounts: tuple[BwrapMount, ...] = ()
    covered: tuple[Path, ...] = ()
    """Files and folders of the system that appear empty."""
    variables: dict[str, str] = Field(default_factory=dict)
    memory_mb: int = Field(default=2048, gt=0)
    processes: int = Field(default=256, gt=0)
    file_size_mb: int = Field(default=512, gt=0)
    disk_mb: int = Field(default=1024, gt=0)
    cpu_seconds: int | None = Field(default=None, gt=0)
    wall_seconds: float = Field(default=3600.0, gt=0)
    """For a command whose caller sets no timeout."""
    gpus: int = Field(default=0, ge=0)
    """Number of GPUs from the machine's pool; the sample waits for them before it begins."""
    gpus_shared: bool = False
    """If true, other sandboxes that also share may use the same GPUs."""
    gpu_memory_mb: int | None = Field(default=None, gt=0)
    """On all its GPUs together; the attempt ends if it uses more."""
    alone: bool = False
    """If true, the sample waits until no other attempt runs on this machine, and others wait for it."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts that a proxy makes reachable: names or `*.suffix`, each with an optional `:port`."""
    watch: bool = True
    """If true, Assay records programs and connections, where the kernel supports it."""

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        parse_allowed(value)
        return value

    def __hash__(self) -> int:
        """Hash the configuration: Inspect uses it as a key, and its dictionary field has no hash."""
        return hash(self.model_dump_json())

    def confinement(self, gpus: tuple[int, ...] = ()) -> Confinement:
        """Return the same settings as a `Confinement`, with the GPUs from the pool."""
        limits = SandboxLimits(
            memory_mb=self.memory_mb,
            processes=self.processes,
            file_size_mb=self.file_size_mb,
            disk_mb=self.disk_mb,
            cpu_seconds=self.cpu_seconds,
            wall_seconds=self.wall_seconds,
            gpu_memory_mb=self.gpu_memory_mb,
        )
        return Confinement(
            workspace=self.workspace,
            environment=self.environment,
            mounts=tuple(
                Mount(mount.source, mount.target, mount.writable, mount.canary) for mount in self.mounts
            ),
            covered=self.covered,
            variables=self.variables,
            limits=limits,
            gpu=self.gpus > 0,
            gpus=gpus,
            hosts=self.allowed_hosts,
            watch=self.watch,
        )


class BwrapSandboxEnvironment(SandboxEnvironment):
    """A running bubblewrap sandbox as Inspect sees it."""

    def __init__(
        self,
        box: Box,
        lease: Lease | None = None,
        record: CommandRecord | None = None,
        turn: MachineTurn | None = None,
    ) -> None:
        super().__init__()
        self.box = box
        self._turn = turn
        self.record = record
        """The agent's commands; None if the harness itself uses the sandbox."""
        self._lease = lease
        self._gpu_memory_reported = False
        self._service_requests = ServiceRequests()

    @property
    def runs_alone(self) -> bool:
        """Whether no other attempt runs on this machine."""
        return self._turn is not None and self._turn.alone

    def release_machine(self) -> dict[str, Any] | None:
        """End the turn on this machine, release the GPUs, and describe their use for the log."""
        if self._turn is not None:
            self._turn.release()
        return self._release_gpus()

    def _release_gpus(self) -> dict[str, Any] | None:
        """Release the GPUs, after the sandbox's last process, and describe their use for the log."""
        if self._lease is None:
            return None
        self._lease.release()
        return self._lease.as_log(self.box.gpu_peak_mb)

    @override
    @classmethod
    def default_concurrency(cls) -> int | None:
        return 2 * (os.cpu_count() or 1)

    @override
    def default_polling_interval(self) -> float:
        return 0.2

    @override
    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return BwrapConfig.model_validate(config)

    @override
    @classmethod
    async def task_init(cls, task_name: str, config: BaseModel | str | None) -> None:
        find_engine()
        _config(config)

    @override
    @classmethod
    async def sample_init(
        cls, task_name: str, config: BaseModel | str | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        bwrap_config = _config(config)
        lease = (
            await take_gpus(bwrap_config.gpus, shared=bwrap_config.gpus_shared) if bwrap_config.gpus else None
        )
        turn: MachineTurn | None = None
        try:
            turn = await take_turn(alone=bwrap_config.alone)
            box = await Box(bwrap_config.confinement(lease.gpus if lease else ())).open()
        except BaseException:
            for held in (turn, lease):
                if held is not None:
                    held.release()
            raise
        return {"default": cls(box, lease, CommandRecord(), turn)}

    @override
    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: BaseModel | str | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            sandbox = environment.as_type(BwrapSandboxEnvironment)
            await sandbox.box.close()
            sandbox.release_machine()

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user not in _USERS:
            raise SandboxUserUnsupportedError(
                f"the bwrap sandbox has one user, agent (1000), and cannot run as {user!r}"
            )
        if self.record is None:
            return await self._exec(cmd, input, cwd, env, timeout)
        index = self.record.add_command(cmd, input)
        try:
            outcome = await self._exec(cmd, input, cwd, env, timeout)
        except BaseException as error:
            self.record.add_output(index, getattr(error, "truncated_output", None) or str(error), None)
            raise
        self.record.add_output(index, outcome.stdout + outcome.stderr, outcome.returncode)
        return outcome

    async def _exec(
        self,
        cmd: list[str],
        input: str | bytes | None,
        cwd: str | None,
        env: dict[str, str] | None,
        timeout: int | None,
    ) -> ExecResult[str]:
        reads_request, most_bytes = is_request(cmd), SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        try:
            outcome = await self.box.exec(
                cmd,
                input=encode_utf8("the input", input) if isinstance(input, str) else input,
                cwd=cwd,
                variables=env,
                timeout=timeout,
                output_bytes=min(most_bytes, MOST_BYTES) if reads_request else most_bytes,
            )
        except BadRequest as error:
            return ExecResult(False, _NOT_STARTED, "", f"{error}\n")
        except SandboxError as error:
            raise SandboxUnavailableError(str(error)) from error
        self._raise_if_gpu_memory_exceeded()
        stdout, stderr = (data.decode(errors="replace") for data in (outcome.stdout, outcome.stderr))
        if outcome.timed_out:
            raise CommandTimedOut(f"{cmd[0]} was killed after {outcome.seconds:.1f} seconds", stdout + stderr)
        if outcome.exceeded == "output" or (reads_request and has_too_many_parts(stdout)):
            replacement = with_no_content(stdout) if reads_request else None
            if replacement is not None:
                return ExecResult(True, 0, replacement, "")
            limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
            raise OutputLimitExceededError(limit, stdout if stdout else stderr)
        stdout = self._service_requests.shown(cmd, stdout)
        return ExecResult(outcome.returncode == 0, outcome.returncode, stdout, stderr)

    def _raise_if_gpu_memory_exceeded(self) -> None:
        """End the attempt once after it exceeds the limit; Assay still collects and grades its files."""
        if self.box.gpu_exceeded and not self._gpu_memory_reported:
            self._gpu_memory_reported = True
            raise GpuMemoryExceeded(
                f"the attempt used {self.box.gpu_peak_mb or 0:.0f} MB of GPU memory, "
                f"at most {self.box.confinement.limits.gpu_memory_mb} MB are allowed"
            )

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        if self.record is not None:
            self.record.add_written_file(file, contents)
        with _inspect_errors():
            data = encode_utf8("the text", contents) if isinstance(contents, str) else contents
            await self.box.write_file(file, data)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        max_bytes = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        with _inspect_errors():
            content = await self.box.read_file(file, max_bytes=max_bytes + 1)
        if len(content) > max_bytes:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return content.decode() if text else content

    @override
    async def connection(self, *, user: str | None = None) -> SandboxConnection:
        if user not in _USERS:
            raise SandboxUserUnsupportedError(f"the bwrap sandbox has one user, agent, and not {user!r}")
        command = shlex.join([sys.executable, "-m", "assay.sandbox.session.shell", self.box.terminal])
        return SandboxConnection(type="bwrap", command=command)


def _config(config: BaseModel | str | None) -> BwrapConfig:
    """Read a configuration from Inspect; a plain string is the workspace's folder."""
    if config is None:
        return BwrapConfig()
    if isinstance(config, BwrapConfig):
        return config
    if isinstance(config, str) and Path(config).is_dir():
        return BwrapConfig(workspace=Path(config))
    raise UsageError(
        f"{config!r} is no configuration of the bwrap sandbox: expected a folder or a BwrapConfig",
        hint="write --sandbox bwrap or --sandbox bwrap:FOLDER",
    )
