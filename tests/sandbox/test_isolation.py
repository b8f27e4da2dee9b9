"""What code inside can see and reach."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

import assay
from assay.errors import SandboxError, UsageError
from assay.sandbox import Box, Confinement, Mount, Outcome, run_confined
from assay.sandbox.bubblewrap.seccomp import filter_program

pytestmark = pytest.mark.anyio

ASSAY = Path(assay.__file__).parent


async def shell(script: str, confinement: Confinement | None = None) -> Outcome:
    return await run_confined(confinement or Confinement(), ["sh", "-c", script])


async def python(program: str, confinement: Confinement | None = None) -> Outcome:
    return await run_confined(confinement or Confinement(), ["python3", "-c", program])


async def test_the_host_workspace_never_changes(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("as it was")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("inside")
    script = "echo other > kept; rm -r folder; mkdir folder; echo new > added; ls folder; cat kept"
    outcome = await shell(script, Confinement(workspace=tmp_path))
    assert (outcome.returncode, outcome.stdout) == (0, b"other\n")
    assert (tmp_path / "kept").read_text() == "as it was"
    assert (tmp_path / "folder" / "file").read_text() == "inside"
    assert not (tmp_path / "added").exists()


@pytest.mark.parametrize("place", ["/usr/bin/x", "/etc/x", "/x", "/dev/x", "/lib/x", "/run/x"])
async def test_the_system_is_read_only(place: str) -> None:
    outcome = await shell(f"echo x > {place}")
    assert outcome.returncode != 0


async def test_of_the_machine_only_its_processors_are_told() -> None:
    outcome = await shell(
        "cat /sys/devices/system/cpu/possible; echo x > /sys/devices/system/cpu/x; ls /sys/*/*"
    )
    assert outcome.stdout.decode().split() == [
        Path("/sys/devices/system/cpu/possible").read_text().strip(),
        "cpu",
    ]
    assert outcome.returncode == 0
    assert b"/sys/devices/system/cpu/x" in outcome.stderr


WRITABLE_SETTINGS = """
import os
for folder, folders, files in os.walk("/proc"):
    if folder == "/proc":
        folders[:] = [name for name in folders if not name.isdigit() and not os.path.islink("/proc/" + name)]
    for name in files:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            continue
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            print(path)
        except OSError:
            pass
"""


async def test_no_setting_of_the_kernel_can_be_written() -> None:
    """Opened only, never written: as root these are the host's own settings."""
    assert (await python(WRITABLE_SETTINGS)).stdout == b""
    async with Box(Confinement()) as box:
        assert (await box.exec(["python3", "-c", WRITABLE_SETTINGS])).stdout == b""


@pytest.mark.parametrize("place", ["/tmp", "/var/tmp", "/dev/shm", "/workspace", "$HOME"])
async def test_private_places_can_be_written_and_are_empty(place: str) -> None:
    outcome = await shell(f"ls -A {place} && echo x > {place}/x && cat {place}/x")
    assert outcome.stdout == b"x\n"


async def test_one_unprivileged_user_without_capabilities() -> None:
    outcome = await shell("id -u; id -g; cat /proc/self/status")
    lines = outcome.stdout.decode().splitlines()
    assert lines[:2] == ["1000", "1000"]
    status = dict(line.split(":\t", 1) for line in lines[2:] if ":\t" in line)
    assert all(int(status[name], 16) == 0 for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"))
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == ("2" if filter_program() else "0")


@pytest.mark.parametrize("kind", ["pid", "ipc", "uts", "user", "net", "mnt", "cgroup"])
async def test_every_namespace_is_its_own(kind: str) -> None:
    outcome = await shell(f"readlink /proc/self/ns/{kind}")
    assert outcome.stdout.decode().strip() != str(Path(f"/proc/self/ns/{kind}").readlink())


async def test_no_variable_of_the_host_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-host")
    outcome = await shell("env; cat /proc/*/environ", Confinement(variables={"GIVEN": "1"}))
    names = {line.split("=")[0] for line in outcome.stdout.decode().split("\0")[0].splitlines()}
    assert "GIVEN" in names
    assert b"secret" not in outcome.stdout
    async with Box(Confinement()) as box:
        assert b"secret" not in (await box.exec(["sh", "-c", "env; cat /proc/*/environ"])).stdout


async def test_the_first_process_shows_nothing() -> None:
    reading = "ls -A /proc/1; for file in cmdline environ maps mem; do head -c 1 /proc/1/$file; done"
    reading += "; ls /proc/1/root /proc/self/root/proc/1/fd; head -c 1 /proc/self/../1/maps; echo end"
    outcome = await shell(reading, Confinement(variables={"SEED": "secret"}))
    assert outcome.stdout == b"end\n"
    assert outcome.stderr.count(b"No such file or directory") == 7


async def test_other_processes_are_not_visible() -> None:
    outcome = await shell("ls /proc | grep -c '^[0-9]'")
    assert int(outcome.stdout) < 8


async def test_there_is_no_network() -> None:
    program = """
import socket
for family, address in ((socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("127.0.0.1", 22))):
    with socket.socket(family) as attempt:
        attempt.settimeout(2)
        try:
            attempt.connect(address)
            print("reached")
        except OSError as error:
            print(type(error).__name__)
"""
    outcome = await python(program)
    assert b"reached" not in outcome.stdout
    assert outcome.stdout.count(b"\n") == 2
    interfaces = await shell("ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1")
    assert interfaces.stdout.split() == [b"lo"]


CALLS = """
import ctypes, json, os, time
libc = ctypes.CDLL(None, use_errno=True)
def tried(action):
    ctypes.set_errno(0)
    try:
        done = action()
    except OSError as error:
        return error.errno
    return ctypes.get_errno() if done == -1 else 0
print(json.dumps({
    "clock": tried(lambda: time.clock_settime(time.CLOCK_REALTIME, 0)),
    "ptrace": tried(lambda: libc.ptrace(0, 0, 0, 0)),
    "mount": tried(lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    "chroot": tried(lambda: os.chroot("/tmp")),
    "unshare": tried(lambda: libc.unshare(0x10000000)),
    "keyctl": tried(lambda: libc.syscall({keyctl}, 0, -3, 0)),
    "inject": tried(lambda: libc.ioctl(0, 0x5412, b"x")),
    "hostname": tried(lambda: libc.sethostname(b"x", 1)),
    "setuid": tried(lambda: libc.setuid(0)),
}))
"""


async def test_dangerous_calls_are_refused() -> None:
    keyctl = {"x86_64": 250, "aarch64": 219}.get(os.uname().machine, 219)
    outcome = await python(CALLS.replace("{keyctl}", str(keyctl)))
    answers = json.loads(outcome.stdout)
    assert all(answers.values()), answers
    if filter_program() is not None:
        assert answers["ptrace"] == answers["keyctl"] == answers["inject"] == 1


async def test_new_user_namespaces_are_refused_without_the_filter_too() -> None:
    outcome = await shell("cat /proc/sys/user/max_user_namespaces; unshare -U true")
    assert outcome.returncode != 0


async def test_python_is_there_without_anybodys_packages() -> None:
    names = ("assay", "inspect_ai", "numpy", "pip")
    outcome = await python(
        f"from importlib.util import find_spec; print([n for n in {names} if find_spec(n)])"
    )
    assert outcome.stdout == b"[]\n", outcome.stderr


async def test_an_environment_is_shown_read_only_and_first_on_the_path(tmp_path: Path) -> None:
    import subprocess
    import sys

    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    folder = next(environment.glob("lib/python3*/site-packages"))
    (folder / "given.py").write_text("value = 7")
    program = "import given, sys; print(given.value, sys.prefix); open(given.__file__, 'w')"
    outcome = await python(program, Confinement(environment=environment))
    assert outcome.stdout.decode() == f"7 {environment}\n"
    assert b"Read-only file system" in outcome.stderr
    assert (folder / "given.py").read_text() == "value = 7"


async def test_mounts_are_read_only_unless_said(tmp_path: Path) -> None:
    for name in ("given", "open"):
        (tmp_path / name).mkdir()
    mounts = (Mount(tmp_path / "given", "/given"), Mount(tmp_path / "open", "/open", writable=True))
    await shell("echo x > /given/x; echo x > /open/x", Confinement(mounts=mounts))
    assert not (tmp_path / "given" / "x").exists()
    assert (tmp_path / "open" / "x").read_text() == "x\n"


async def test_assay_itself_is_never_shown() -> None:
    with pytest.raises(SandboxError, match="Assay's own files"):
        await shell("true", Confinement(workspace=ASSAY.parent))
    with pytest.raises(SandboxError, match="Assay's own files"):
        await shell("true", Confinement(mounts=(Mount(Path("/"), "/host"),)))


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        await shell("true", Confinement(workspace=tmp_path / "nowhere"))


SEARCH = """
import hashlib, json, os, sys
wanted = set(json.load(open("/workspace/wanted.json")))
sizes = set(json.load(open("/workspace/sizes.json")))
seen, found = 0, []
for folder, folders, files in os.walk("/"):
    if folder == "/":
        folders[:] = [name for name in folders if name not in ("proc", "sys", "dev")]
    for name in files:
        path = os.path.join(folder, name)
        try:
            seen += 1
            if os.path.islink(path) or os.path.getsize(path) not in sizes:
                continue
            if hashlib.sha256(open(path, "rb").read()).hexdigest() in wanted:
                found.append(path)
        except OSError:
            pass
print(json.dumps([seen, found]))
"""


@pytest.mark.long
async def test_no_mount_holds_a_file_of_assay(tmp_path: Path) -> None:
    files = [path for path in ASSAY.rglob("*") if path.is_file() and path.stat().st_size > 0]
    contents = [path.read_bytes() for path in files if path.name != "resident.py"]
    assert len(contents) > 10
    control = b"planted where it may be seen"
    (tmp_path / "control").write_bytes(control)
    wanted = [hashlib.sha256(content).hexdigest() for content in (*contents, control)]
    (tmp_path / "wanted.json").write_text(json.dumps(wanted))
    (tmp_path / "sizes.json").write_text(json.dumps([len(content) for content in (*contents, control)]))
    outcome = await python(SEARCH, Confinement(workspace=tmp_path))
    seen, found = json.loads(outcome.stdout)
    assert seen > 1000
    assert found == ["/workspace/control"]


FAMILIES = """
import json, socket
made = {}
for family in [*range(70), 2**30, 2**31 - 1]:
    for protocol in (0, 15):
        for make in (socket.socket, socket.socketpair):
            try:
                for end in (lambda new: new if isinstance(new, tuple) else (new,))(make(family, 2, protocol)):
                    end.close()
            except OSError:
                continue
            made.setdefault(family, []).append(protocol)
print(json.dumps(made))
"""


@pytest.mark.skipif(filter_program() is None, reason="libseccomp is not installed")
@pytest.mark.parametrize("resident", [False, True])
async def test_only_sockets_of_needed_families_can_be_made(resident: bool) -> None:
    if resident:
        async with Box(Confinement()) as box:
            outcome = await box.exec(["python3", "-c", FAMILIES])
    else:
        outcome = await python(FAMILIES)
    made = {int(family): set(protocols) for family, protocols in json.loads(outcome.stdout).items()}
    assert set(made) == {1, 2, 10, 16}, "unix, inet, inet6 and netlink"
    assert made[16] == {0}, "of netlink only its routes"


@pytest.mark.skipif(filter_program() is None, reason="libseccomp is not installed")
async def test_no_sandbox_takes_the_few_watches_of_files_that_its_user_has() -> None:
    """All processes of a user share a hundred or so, those of the harness too."""
    outcome = await python("import ctypes; print(ctypes.CDLL(None).inotify_init1(0))")
    assert outcome.stdout.strip() == b"-1"
    followed = await shell("touch log; (sleep 0.3; echo later >> log) & timeout 5 tail -f log | head -n 1")
    assert followed.stdout == b"later\n"


CACHED_PAGES = """
import ctypes, errno, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
file = os.open("/kept", os.O_RDONLY)
size = os.fstat(file).st_size
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
pages = ctypes.c_void_p(libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file, 0))
ctypes.string_at(pages.value, size)
seen = ctypes.create_string_buffer(size // 4096)
answers = [libc.mincore(pages, ctypes.c_size_t(size), seen), ctypes.get_errno()]
try:
    os.preadv(file, [bytearray(10)], 0, os.RWF_NOWAIT)
except OSError as error:
    answers.append(error.errno)
for advice in (20, 21):
    answers.append(libc.madvise(pages, ctypes.c_size_t(size), advice))
libc.munmap(pages, ctypes.c_size_t(size))
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
print(answers == [-1, errno.ENOSYS, errno.EOPNOTSUPP, 0, 0])
"""


@pytest.mark.skipif(filter_program() is None, reason="libseccomp is not installed")
async def test_nobody_inside_sees_or_removes_pages_of_the_shared_cache(tmp_path: Path) -> None:
    """A build could tell its server something that way."""
    kept = tmp_path / "kept"
    kept.write_bytes(bytes(1 << 20))
    descriptor = os.open(kept, os.O_RDWR)
    try:
        os.fsync(descriptor)
        try:
            assert os.preadv(descriptor, [bytearray(1 << 20)], 0, os.RWF_NOWAIT) == 1 << 20
        except OSError as error:
            pytest.skip(f"this file system does not tell what is cached: {error}")
        outcome = await python(CACHED_PAGES, Confinement(mounts=(Mount(kept, "/kept"),)))
        assert outcome.stdout == b"True\n", outcome.stderr
        assert os.preadv(descriptor, [bytearray(1 << 20)], 0, os.RWF_NOWAIT) == 1 << 20
    finally:
        os.close(descriptor)
