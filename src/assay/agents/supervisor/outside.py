"""Papers and code from outside, through the sandbox's proxy: offered only where the task allows the host.

Requests are made inside the sandbox, so what the proxy refuses stays refused and every request is logged.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

from inspect_ai.tool import ToolDef, ToolError
from inspect_ai.util import sandbox

from assay.agents.supervisor.offering import offered
from assay.agents.supervisor.output import shorten
from assay.sandbox.proxy.allowed_hosts import parse_allowed

ARXIV = "https://export.arxiv.org"
GITHUB = "https://raw.githubusercontent.com"
ATOM = "{http://www.w3.org/2005/Atom}"
SECONDS = 60
MOST_BYTES = 100 << 20
MOST_READ = 1 << 20
MOST_PAPERS = 20


def outside_tools(hosts: Sequence[str], *, arxiv: str = ARXIV, github: str = GITHUB) -> list[ToolDef]:
    """The tools that a task's allowed hosts make possible; none where it allows none."""
    if not hosts:
        return []
    allowed = parse_allowed(hosts)
    tools = [offered(fetch_url, "fetch_url")]
    for address, possible in ((arxiv, PaperSearch(arxiv).tools()), (github, Repositories(github).tools())):
        usual = 443 if address.startswith("https") else 80
        name, _, port = address.partition("://")[2].partition(":")
        tools += possible if allowed.admits(name, int(port or usual), usual) else []
    return tools


async def fetch_url(url: str, file: str = "") -> str:
    """Fetch a page or a file from one of the hosts that the task allows.

    Args:
        url: The address, with http:// or https://.
        file: Where to save it in /workspace; without it the text is shown.
    """
    if not file:
        return shorten(await _get(url))
    place = file if file.startswith("/") else f"/workspace/{file}"
    await _curl(url, f"--create-dirs -o {shlex.quote(place)}")
    return f"saved as {place}"


class PaperSearch:
    """arXiv's own search."""

    def __init__(self, address: str) -> None:
        self.address = address

    def tools(self) -> list[ToolDef]:
        """Search and details."""
        return [
            offered(self.search_papers, "search_papers"),
            offered(self.paper_details, "paper_details"),
        ]

    async def search_papers(self, query: str, most: int = 5) -> str:
        """Search arXiv; titles, authors, dates and the beginnings of abstracts.

        Args:
            query: A few words.
            most: How many papers, at most 20.
        """
        words = " AND ".join(f"all:{word}" for word in query.split())
        parameters: dict[str, str | int] = {
            "search_query": words,
            "max_results": min(max(most, 1), MOST_PAPERS),
        }
        return shorten(await self._ask(parameters, abstract=400)) or "No paper was found."

    async def paper_details(self, identifier: str) -> str:
        """One paper of arXiv with its whole abstract.

        Args:
            identifier: Such as 2410.22553.
        """
        return await self._ask({"id_list": identifier}, abstract=10_000) or f"There is no paper {identifier}."

    async def _ask(self, parameters: dict[str, str | int], abstract: int) -> str:
        answer = await _get(f"{self.address}/api/query?{urlencode(parameters)}")
        try:
            entries = ElementTree.fromstring(answer).findall(f"{ATOM}entry")
        except ElementTree.ParseError as error:
            raise ToolError(f"arXiv's answer cannot be read: {error}") from None
        return "\n\n".join(_paper(entry, abstract) for entry in entries)


class Repositories:
    """Files of public repositories on GitHub."""

    def __init__(self, address: str) -> None:
        self.address = address

    def tools(self) -> list[ToolDef]:
        """Reading."""
        return [offered(self.read_github, "read_github")]

    async def read_github(self, repository: str, path: str = "README.md", revision: str = "HEAD") -> str:
        """Read one file of a public GitHub repository.

        Args:
            repository: owner/name.
            path: The file's path in the repository.
            revision: A branch, tag or commit.
        """
        if repository.count("/") != 1:
            raise ToolError(f"the repository is {repository!r}, expected owner/name")
        return shorten(await _get(f"{self.address}/{quote(f'{repository}/{revision}/{path}')}"))


def _paper(entry: ElementTree.Element, abstract: int) -> str:
    def field(name: str) -> str:
        return " ".join((entry.findtext(f"{ATOM}{name}") or "").split())

    authors = ", ".join(
        " ".join((author.findtext(f"{ATOM}name") or "").split()) for author in entry.findall(f"{ATOM}author")
    )
    head = f"{field('title')}\n{authors}; {field('published')[:10]}; {field('id')}"
    return f"{head}\n{field('summary')[:abstract]}"


async def _get(url: str) -> str:
    """The beginning of what an address gives."""
    return await _curl(url, '-o "$kept"', before="kept=$(mktemp)", after=f'head -c {MOST_READ} "$kept"')


async def _curl(url: str, options: str, before: str = "true", after: str = "true") -> str:
    if not url.startswith(("http://", "https://")):
        raise ToolError(f"the address is {url!r}, expected one with http:// or https://")
    limits = f"--max-time {SECONDS} --max-filesize {MOST_BYTES} --proto =http,https"
    command = f"curl -sS --fail --location {limits} {options} -- {shlex.quote(url)}"
    script = f"trap 'rm -f \"$kept\"' EXIT; {before} && {command} && {after}"
    process = await sandbox().exec(["bash", "-c", script], timeout=SECONDS + 10)
    if not process.success:
        raise ToolError(f"{url} was not fetched: {process.stderr.strip()[-500:]}")
    return process.stdout
