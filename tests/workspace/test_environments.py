"""Environments are built without a package running code here or seeing the operator's variables."""

from __future__ import annotations

import base64
import functools
import http.server
import io
import json
import os
import socket
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import EnvironmentFailed
from assay.workspace import build_environment
from assay.workspace.index import PYPI, PackageIndex
from tests.workspace.building.conftest import shelf, uv_cache
from tests.workspace.building.packages import make_wheel

__all__ = ["shelf", "uv_cache"]

BACKEND = """
import base64, io, json, os, socket, zipfile
def get_requires_for_build_wheel(config_settings=None):
    return []
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    seen = {{"variables": sorted(os.environ), "files": [p for p in {paths!r} if os.path.exists(p)]}}
    for port in {ports!r}:
        try:
            socket.create_connection(("127.0.0.1", port), 2).close()
            seen.setdefault("reached", []).append(port)
        except OSError:
            pass
    for path in {paths!r}:
        try:
            open(path + ".written", "w").write("x")
        except OSError:
            pass
    {more}
    data = base64.b64decode({wheel!r})
    target = os.path.join(wheel_directory, {name!r})
    open(target, "wb").write(data)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("seen.json", json.dumps(seen))
    return {name!r}
"""


def make_curious(folder: Path, paths: list[str], ports: list[int], more: str = "pass") -> None:
    """A source distribution whose build looks around and tells what it saw in seen.json."""
    wheel = make_wheel(folder.parent / "inside", "curious", "1.0")
    encoded = base64.b64encode(wheel.read_bytes()).decode()
    backend = BACKEND.format(paths=paths, ports=ports, more=more, wheel=encoded, name=wheel.name)
    settings = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    information = "Metadata-Version: 2.1\nName: curious\nVersion: 1.0\n"
    files = {"PKG-INFO": information, "pyproject.toml": settings, "backend.py": backend}
    with tarfile.open(folder / "curious-1.0.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"curious-1.0/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def seen_by(environment: Path) -> dict[str, list[str]]:
    """What the build saw."""
    (file,) = environment.glob("lib/python*/site-packages/seen.json")
    found: dict[str, list[str]] = json.loads(file.read_text())
    return found


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What only the operator should have."""
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    (tmp_path / "key").write_text("x")
    return tmp_path / "key"


def test_a_build_from_source_sees_nothing_of_the_operator(shelf: Path, secret: Path) -> None:
    paths = [str(secret), str(Path.home() / ".cache"), str(Path(__file__))]
    make_curious(shelf, paths, [])
    seen = seen_by(build_environment(["curious==1.0"]))
    assert not {"SECRET_TOKEN", "AWS_SECRET_ACCESS_KEY"} & set(seen["variables"])
    assert seen["files"] == []
    assert not Path(f"{secret}.written").exists()


@pytest.fixture
def index(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A package index on this machine's loopback, in place of the folder; its port."""
    root = tmp_path / "web"
    (root / "curious").mkdir(parents=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.delenv("UV_FIND_LINKS")
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://127.0.0.1:{server.server_port}")
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_a_build_reaches_the_index_and_nothing_else(index: int, shelf: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        make_curious(tmp_path / "web" / "curious", [], [other.getsockname()[1], index])
        page = '<a href="curious-1.0.tar.gz">curious-1.0.tar.gz</a>'
        (tmp_path / "web" / "curious" / "index.html").write_text(page)
        seen = seen_by(build_environment(["curious==1.0"]))
    # Not even the index directly: the proxy alone leads to it.
    assert "reached" not in seen


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('os.symlink("/etc", os.path.join({site!r}, "out"))', "is a link out of the environment"),
        ('os.mkfifo(os.path.join({site!r}, "pipe"))', "is neither a file nor a folder"),
        (
            'os.remove({python!r}); os.symlink("/bin/true", {python!r})',
            "was changed by it",
        ),
    ],
)
def test_a_build_that_leaves_a_way_out_is_refused(shelf: Path, tmp_path: Path, more: str, why: str) -> None:
    place = str(tmp_path / "cache" / "environments" / "*")
    code = more.replace("{site!r}", "root").replace("{python!r}", "root + '/bin/python'")
    make_curious(shelf, [], [], f"import glob; root = glob.glob({place!r})[0]; {code}")
    with pytest.raises(EnvironmentFailed, match=why):
        build_environment(["curious==1.0"])
    assert not [each for each in (tmp_path / "cache" / "environments").iterdir() if each.is_dir()]


def test_no_code_of_a_wheel_runs_when_it_is_installed(shelf: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    wheel = make_wheel(shelf, "quick", "1.0", f"open({str(marker)!r}, 'w')\n")
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("quick.pth", f"import os; open({str(marker)!r}, 'w')\n")
    environment = build_environment(["quick==1.0"])
    assert list(environment.glob("lib/python*/site-packages/__pycache__/quick.*.pyc"))
    assert not marker.exists()


@pytest.mark.parametrize("requirement", ["x @ file:///etc", "--index-url=http://127.0.0.1:1/", "./x"])
def test_addresses_paths_and_options_are_refused(shelf: Path, requirement: str) -> None:
    with pytest.raises(EnvironmentFailed, match="expected NAME or NAME==VERSION"):
        build_environment([requirement])


def test_what_has_no_wheel_and_does_not_build_says_so(shelf: Path) -> None:
    make_curious(shelf, [], [], 'raise SystemExit("needs a compiler")')
    with pytest.raises(EnvironmentFailed, match="needs a compiler"):
        build_environment(["curious==1.0"])


def test_the_index_is_read_from_settings_and_never_assumed(tmp_path: Path) -> None:
    config = tmp_path / "uv.toml"
    config.write_text(
        'extra-index-url = ["https://more.example.org/simple"]\n[pip]\nfind-links = ["/opt/own wheels"]\n'
        '[[index]]\nurl = "https://first.example.org:8443/simple"\ndefault = true\n'
    )
    given = {"UV_CONFIG_FILE": str(config), "UV_INDEX": "named=https://named.example.org/simple"}
    index = PackageIndex({**given, "SECRET": "x", "HOME": "/h", "UV_PUBLISH_TOKEN": "x"})
    assert PYPI not in index.addresses
    hosts = index.hosts([])
    assert set(hosts) == {"first.example.org:8443", "more.example.org:443", "named.example.org:443"}
    assert "SECRET" not in index.on_host
    assert "UV_PUBLISH_TOKEN" not in {**index.on_host, **index.inside}
    assert "HOME" not in index.inside
    assert PackageIndex({}).hosts([]) == ["pypi.org:443", "files.pythonhosted.org:443"]
    assert os.environ.get("UV_CONFIG_FILE") != str(config)
