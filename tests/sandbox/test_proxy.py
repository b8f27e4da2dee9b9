"""The way out to allowed hosts, through a real sandbox, real clients and real servers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.sandbox import Box, Confinement, Mount, ProxyRequest, run_confined
from assay.sandbox.monitor.observations import read_requests
from assay.sandbox.proxy.allowed_hosts import parse_allowed
from assay.sandbox.proxy.forwarding import server_names
from assay.sandbox.proxy.process import PORT
from assay.sandbox.proxy.server import Proxy, ProxyLimits
from tests.sandbox.servers import Server, free_port, make_certificate, serving

pytestmark = pytest.mark.anyio

RAW = f"""
import json, socket, sys
answers = []
for said in json.load(sys.stdin):
    answer = b""
    with socket.create_connection(("127.0.0.1", {PORT})) as proxy:
        try:
            proxy.sendall(said.encode("latin-1"))
            while chunk := proxy.recv(65536):
                answer += chunk
        except ConnectionError:
            answer += b"(reset)"
    answers.append(answer.decode("latin-1"))
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def plain() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def secure(certificate: Path) -> Iterator[Server]:
    with serving(certificate) as server:
        yield server


@pytest.fixture
async def box(plain: Server, secure: Server, certificate: Path) -> AsyncIterator[Box]:
    """A sandbox that may reach both servers by `localhost`, the plain one by its address too."""
    hosts = (
        f"localhost:{plain.port}",
        f"localhost:{secure.port}",
        f"127.0.0.1:{plain.port}",
        "*.example.org",
    )
    shown = Mount(certificate.parent / "certificate.pem", "/run/certificate.pem")
    async with Box(
        Confinement(hosts=hosts, mounts=(shown,), variables={"NO_PROXY": "", "no_proxy": ""})
    ) as box:
        yield box


async def raw(box: Box, *said: str) -> list[str]:
    """What the proxy answers to these very bytes, each on a connection of its own."""
    outcome = await box.exec(["python3", "-c", RAW], input=json.dumps(said).encode())
    answers: list[str] = json.loads(outcome.stdout)
    return answers


async def last(box: Box) -> ProxyRequest:
    """The last request, once it has ended."""
    while (request := (await box.observations()).requests[-1]).status is None:
        await asyncio.sleep(0.01)
    return request


async def test_curl_python_and_git_reach_what_is_allowed(box: Box, plain: Server, secure: Server) -> None:
    got = await box.exec(["curl", "-sS", f"http://localhost:{plain.port}/a?b=c"])
    assert got.stdout == b"served /a?b=c with \n", got.stderr
    request = await last(box)
    assert (request.method, request.host, request.port) == ("GET", "localhost", plain.port)
    assert (request.allowed, request.status, request.why) == (True, 200, "")
    assert request.sent
    assert request.received
    assert request.received > len(got.stdout)

    posted = await box.exec(["curl", "-sS", "-d", "body", f"http://127.0.0.1:{plain.port}/"])
    assert posted.stdout == b"served / with body\n", posted.stderr
    chunked = ["curl", "-sS", "-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue", "-d", "body"]
    assert (await box.exec([*chunked, f"http://localhost:{plain.port}/"])).stdout == b"served / with body\n"
    head = await box.exec(["curl", "-sSI", f"http://localhost:{plain.port}/"])
    assert head.stdout.startswith(b"HTTP/1.1 200"), head.stdout

    address = f"https://localhost:{secure.port}/over"
    tunnelled = await box.exec(["curl", "-sS", "--cacert", "/run/certificate.pem", address])
    assert tunnelled.stdout == b"served /over with \n", tunnelled.stderr
    assert (await last(box)).method == "CONNECT"
    script = (
        "import ssl, urllib.request\n"
        "trusted = ssl.create_default_context(cafile='/run/certificate.pem')\n"
        f"print(urllib.request.urlopen({address!r}, context=trusted).read().decode())"
    )
    assert b"served /over" in (await box.exec(["python3", "-c", script])).stdout


async def test_git_follows_the_proxy(box: Box) -> None:
    cloned = await box.exec(["git", "clone", "http://elsewhere.example/repository"])
    assert b"403" in cloned.stderr
    assert (await last(box)).host == "elsewhere.example"


async def test_all_else_is_refused_in_one_clear_line(box: Box, plain: Server) -> None:
    heard = len(plain.heard)
    refused = await box.exec(["curl", "-sS", "http://elsewhere.example/"])
    assert refused.stdout == b"this task does not allow the host elsewhere.example:80\n"
    away = await box.exec(["curl", "-sSL", f"http://localhost:{plain.port}/away"])
    assert b"does not allow the host elsewhere.example:80" in away.stdout
    assert len(plain.heard) == heard + 1
    tunnel = await box.exec(["curl", "-sS", "https://elsewhere.example/"])
    assert b"403" in tunnel.stderr
    request = await last(box)
    assert (request.allowed, request.status, request.host) == (False, 403, "elsewhere.example")
    assert (request.sent, request.received) == (0, 0)
    direct = await box.exec(["curl", "-sS", "--noproxy", "*", f"http://127.0.0.1:{plain.port}/"])
    assert direct.returncode == 7


SPELLINGS = {
    "http://user:word@localhost:{port}/": "user name",
    "http://elsewhere.example@localhost:{port}/": "user name",
    "http://localhost:{port}@elsewhere.example/": "user name",
    "http://localhost:{other}/": "does not allow",
    "http://localhost.:{port}/": "served / with",
    "HTTP://LOCALHOST:{port}?q#": "no valid host",
    "HTTP://LocalHost:{port}?q": "served /?q with",
    "http://127.1:{port}/": "no valid host",
    "http://2130706433:{port}/": "no valid host",
    "http://0x7f000001:{port}/": "no valid host",
    "http://[::ffff:127.0.0.1]:{port}/": "does not allow",
    "http://[::1%25lo]:{port}/": "no valid host",
    "http://localhost%00.example:{port}/": "no valid host",
    "http://localhost\\.example:{port}/": "no valid host",
    "http://localhost:{port}.example/": "no valid host",
    "http://localhost:+{port}/": "no valid host",
    "http://localhost:99999/": "no valid host",
    "http:///": "no valid host",
    "http://xn--lcalhost-d7a:{port}/": "does not allow",
    "http://example.org/": "does not allow",
    "http://example.org.elsewhere.example/": "does not allow",
    "http://badexample.org/": "does not allow",
    "http://a.example.org:8080/": "does not allow",
    "https://localhost:{port}/": "expected CONNECT",
    "ftp://localhost:{port}/": "expected CONNECT",
    "file:///etc/passwd": "expected CONNECT",
    "/": "expected CONNECT",
}


async def test_no_spelling_gets_past(box: Box, plain: Server) -> None:
    places = {"port": plain.port, "other": free_port()}
    said = [
        f"GET {target.format(**places)} HTTP/1.1\r\nHost: localhost:{plain.port}\r\n\r\n"
        for target in SPELLINGS
    ]
    answers = await raw(box, *said)
    wrong = {t: a for (t, expected), a in zip(SPELLINGS.items(), answers, strict=True) if expected not in a}
    assert not wrong


async def test_tunnels_lead_to_the_named_port_and_speak_tls_to_the_named_host(
    box: Box, plain: Server, secure: Server
) -> None:
    heard = len(plain.heard)
    there = f"localhost:{secure.port}"
    other, bare, absolute, spoken = await raw(
        box,
        f"CONNECT localhost:{free_port()} HTTP/1.1\r\nHost: {there}\r\n\r\n",
        "CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"CONNECT http://{there}/ HTTP/1.1\r\nHost: {there}\r\n\r\n",
        f"CONNECT localhost:{plain.port} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    )
    assert "does not allow" in other
    assert "expected CONNECT host:port" in bare + absolute
    assert spoken.endswith("established\r\n\r\n")
    assert len(plain.heard) == heard
    assert (
        await last(box)
    ).why == "the client opened a tunnel to localhost but addresses no host, or is not TLS"
    fronted = await box.exec(
        ["curl", "-sSk", "--connect-to", f"fronted.example:443:{there}", "https://fronted.example/"]
    )
    assert fronted.returncode != 0
    assert (await last(box)).why == "the client opened a tunnel to localhost but addresses fronted.example"


async def test_a_tunnel_to_an_address_names_nobody(certificate: Path, secure: Server) -> None:
    shown = Mount(certificate.parent / "certificate.pem", "/run/certificate.pem")
    hosts = (f"127.0.0.1:{secure.port}",)
    async with Box(
        Confinement(hosts=hosts, mounts=(shown,), variables={"no_proxy": "", "NO_PROXY": ""})
    ) as box:
        curl = ["curl", "-sS", "--cacert", "/run/certificate.pem"]
        got = await box.exec([*curl, f"https://127.0.0.1:{secure.port}/"])
        assert got.stdout == b"served / with \n", got.stderr
        fronted = ["--connect-to", f"fronted.example:443:127.0.0.1:{secure.port}", "https://fronted.example/"]
        assert (await box.exec([*curl, *fronted])).returncode != 0
        assert (
            await last(box)
        ).why == "the client opened a tunnel to 127.0.0.1 but addresses fronted.example"


async def test_tls_in_single_bytes_is_understood(certificate: Path, secure: Server) -> None:
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    async with limited(secure) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\n" % secure.port)
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        for byte in outgoing.read():
            writer.write(bytes([byte]))
            await writer.drain()
        assert await reader.readexactly(1) == b"\x16"
        writer.close()


@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_first_words_break_the_reading_of_tls(words: bytes, length: int) -> None:
    hello = b"\x16\x03\x01" + length.to_bytes(2, "big") + words
    assert server_names(words) in (None, []) or words[:1] == b"\x16"
    assert server_names(hello) in (None, [], [None])


async def test_a_flood_of_connections_leaves_the_proxy_standing(box: Box, plain: Server) -> None:
    flood = (
        "import resource, socket\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (4000, 4000))\n"
        f"held = [socket.create_connection(('127.0.0.1', {PORT})) for _ in range(600)]\n"
        "print(len(held))"
    )
    outcome = await box.exec(["python3", "-c", flood])
    assert outcome.stdout == b"600\n", outcome.stderr
    got = await box.exec(["curl", "-sS", "--retry", "5", f"http://localhost:{plain.port}/after"])
    assert got.stdout.endswith(b"served /after with \n"), got.stderr


async def test_a_host_that_talks_nonsense_is_a_bad_gateway() -> None:
    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"\x00\xff nonsense\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(nonsense, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Box(Confinement(hosts=(f"localhost:{port}",))) as other:
        (answer,) = await raw(other, f"GET http://localhost:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith("HTTP/1.1 502 ")
    closed = free_port()
    async with Box(Confinement(hosts=(f"localhost:{closed}",))) as other:
        (answer,) = await raw(other, f"GET http://localhost:{closed}/ HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.startswith("HTTP/1.1 502 ")
        assert "cannot be reached" in (await last(other)).why


async def test_nothing_rides_behind_a_request(box: Box, plain: Server) -> None:
    there, hidden = f"localhost:{plain.port}", "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
    first = f"GET http://{there}/one HTTP/1.1\r\nHost: elsewhere.example\r\n"
    post = first.replace("GET", "POST")
    answers = await raw(
        box,
        f"{first}\r\n{hidden}",
        f"{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        f"{post}Content-Length: 5\r\nContent-Length: 60\r\n\r\nabcde{hidden}",
        f"{post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}",
        f"{post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{hidden}",
        f"{post}Connection: Content-Length\r\nContent-Length: 5\r\n\r\nabcde{hidden}",
    )
    assert "served /one" in answers[0]
    assert "served /one with abcde" in answers[5]
    assert not any("hidden" in each for each in [*answers, *plain.heard])
    assert [each.split(" ")[1] for each in answers[1:5]] == ["400", "400", "501", "400"]
    assert f"GET /one {there}" in plain.heard


@contextlib.asynccontextmanager
async def limited(plain: Server, **limits: float) -> AsyncIterator[tuple[int, int]]:
    """The proxy by itself, with small limits: its port and its log."""
    log = os.memfd_create("log")
    proxy = Proxy(parse_allowed([f"localhost:{plain.port}"]), ProxyLimits(**limits), log)  # type: ignore[arg-type]
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], log
    os.close(log)


async def talk(port: int, said: bytes) -> bytes:
    """What the proxy answers, after which it hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    with contextlib.suppress(ConnectionError):
        writer.write(said)
        await writer.drain()
        while data := await reader.read(65536):
            answer += data
    writer.close()
    return answer


async def test_bombs_and_slow_talkers_are_cut_off(plain: Server) -> None:
    there = f"http://localhost:{plain.port}".encode()
    async with limited(plain, head_seconds=0.3, request_bytes=300_000) as (port, log):
        assert b"408" in await talk(port, b"GET " + there + b"/ HTTP/1.1\r\nX: y\r\n")
        assert b" 431 " in await talk(
            port, b"GET " + there + b"/ HTTP/1.1\r\n" + b"X: yyyyyyyyyyyy\r\n" * 9000
        )
        assert b" 431 " in await talk(port, b"GET " + there + b"/" + b"a" * 100_000)
        endless = await talk(port, b"GET " + there + b"/endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert 200_000 < len(endless) < 600_000
        sent = b"POST " + there + b"/ HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + b"x" * 900_000
        assert b"more bytes than" in await talk(port, sent)
        silent = b"CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\n" % plain.port
        assert (await talk(port, silent)).endswith(b"established\r\n\r\n")
        await asyncio.sleep(0.05)
        reasons = [request.why for request in read_requests(os.pread(log, 100_000, 0))]
    assert sum("more bytes" in why for why in reasons) == 2
    assert reasons[0] == "no request within 0.3 seconds"
    assert "sent nothing" in reasons[-1]


async def test_an_attempt_has_so_many_requests_and_bytes_and_no_more(plain: Server) -> None:
    said = b"GET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n" % plain.port
    async with limited(plain, requests=3, concurrent_requests=2) as (port, log):
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        assert b" 503 " in await talk(port, said)
        for _, writer in held:
            writer.close()
        assert b" 403 " in await talk(port, said)
        await talk(port, said)
        await asyncio.sleep(0.05)
        assert len(read_requests(os.pread(log, 100_000, 0))) == 4
    async with limited(plain, total_bytes=500) as (port, _):
        answers = [await talk(port, said) for _ in range(4)]
    assert b"served" in answers[0]
    assert b"more bytes" in answers[-1]


async def test_a_name_that_leads_home_needs_its_port(plain: Server) -> None:
    async with Box(Confinement(hosts=("localhost", "127.0.0.1", "*.localhost"))) as box:
        answers = await raw(
            box, *(f"GET http://{name}/ HTTP/1.1\r\nHost: x\r\n\r\n" for name in ("localhost", "127.0.0.1"))
        )
    assert all("resolves to a private address" in answer for answer in answers)


async def test_a_request_under_way_is_seen(box: Box, plain: Server) -> None:
    curl = f"curl -s --limit-rate 100K http://localhost:{plain.port}/endless > got"
    await box.exec(["sh", "-c", f"{curl} & until [ -s got ]; do sleep 0.01; done"])
    request = (await box.observations()).requests[-1]
    assert request.allowed
    assert request.status is None
    await box.kill_processes()


async def test_the_proxy_cannot_be_killed_or_taken_over_from_inside(box: Box, plain: Server) -> None:
    await box.exec(["sh", "-c", "kill -9 -1"])
    taken = await box.exec(["python3", "-c", f"import socket; socket.create_server(('127.0.0.1', {PORT}))"])
    assert b"Address already in use" in taken.stderr
    assert b"served" in (await box.exec(["curl", "-s", f"http://localhost:{plain.port}/"])).stdout


async def test_grading_has_no_way_out(plain: Server) -> None:
    with pytest.raises(UsageError, match="has no network"):
        await run_confined(Confinement(hosts=("localhost:1",)), ["true"])


@pytest.mark.parametrize(
    "entry", ["", "*", "*.", "a b", "http://a.example", "a:0", "*.1.2.3.4", "bücher.example"]
)
async def test_an_entry_that_names_no_host_is_refused(entry: str) -> None:
    with pytest.raises(UsageError, match="names no host"):
        await Box(Confinement(hosts=(entry,))).open()
