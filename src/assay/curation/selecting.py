"""Stage 1: what a repository and its paper need and offer; a refusal with its reason, or a forecast."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal

from assay.curation.commands import FoundCommand, find_commands
from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.licences import LicenceFound, find_licence
from assay.curation.paper import PaperText
from assay.curation.repository_files import PinnedRepository
from assay.errors import CurationRefused
from assay.tasks.metric import Strict

VERSION = 2
_LANGUAGES = {
    ".py": "Python",
    ".ipynb": "notebook",
    ".jl": "Julia",
    ".r": "R",
    ".m": "MATLAB",
    ".c": "C",
    ".cpp": "C++",
    ".cu": "CUDA",
    ".rs": "Rust",
    ".java": "Java",
    ".sh": "shell",
    ".js": "JavaScript",
}
_DATA = re.compile(
    r"(?:load_dataset|from_pretrained|hf_hub_download|snapshot_download|urlretrieve|fetch_openml|gdown|kagglehub"
    r"|download=True|wget |curl -)[^\n]{0,120}"
)
_CUDA = re.compile(r"\.cuda\(\)|device\(?\s*=?\s*[\"']cuda|--gres=gpu|nvidia-smi")
_CPU_TOO = re.compile(r"cuda\.is_available|[\"']cpu[\"']")
_ENVIRONMENT_MINUTES, _HEAVY_MINUTES = 1.0, 6.0
_HEAVY = re.compile(r"\b(?:torch|tensorflow|jax|transformers)\b")


class SelectForecast(Strict):
    """How much work the next stages are, as far as the files show."""

    minutes: float
    """Environment and runs, without certification."""
    disk_mb: int


class SelectedSource(Strict):
    """1-select.json."""

    repository: str
    commit: str | None
    committed: str | None
    """The day of the commit; None for a folder without history."""
    digest: str
    licence: LicenceFound
    bytes: int
    files: int
    languages: dict[str, int]
    """Language → bytes."""
    device: Literal["cpu", "either", "gpu"]
    """`gpu`: the code asks for CUDA and has no way around it."""
    needs_data: list[EvidencePlace]
    """Lines that download data or weights."""
    commands: list[FoundCommand]
    """What looks runnable, the likeliest first."""
    paper_numbers: int
    """Cells with a number in the tables of the paper."""
    readme_numbers: int
    """The same for README files."""
    stated_numbers: int = 0
    """Numbers in sentences of the paper and of README files."""
    forecast: SelectForecast
    refusal: str = ""
    """Why nothing is made of it; empty if something may be."""
    notes: list[str] = []


def select(
    repository: PinnedRepository,
    paper: PaperText,
    readmes: Mapping[str, PaperText],
    seconds: float,
    runs: int,
) -> SelectedSource:
    """Look at a paper and its repository, without running anything."""
    licence = find_licence(repository.files)
    commands = find_commands(repository.files)
    languages = _languages(repository.files)
    selected = SelectedSource(
        repository=repository.name,
        commit=repository.commit,
        committed=repository.committed.isoformat() if repository.committed else None,
        digest=repository.digest,
        licence=licence,
        bytes=sum(map(len, repository.files.values())),
        files=len(repository.files),
        languages=languages,
        device=_device(repository.files),
        needs_data=list(_downloads(repository.files))[:20],
        commands=commands,
        paper_numbers=paper.number_count,
        readme_numbers=sum(readme.number_count for readme in readmes.values()),
        stated_numbers=paper.stated_count + sum(readme.stated_count for readme in readmes.values()),
        forecast=_forecast(repository.files, commands, seconds, runs),
        notes=list(repository.notes)[:20],
    )
    return selected.model_copy(update={"refusal": _refusal(selected)})


def raise_refusal(selected: SelectedSource) -> None:
    """End the curation if the source was refused."""
    if not selected.refusal:
        return
    hints = {
        "licence": "ask its authors for one; `--licence NAME` states a licence that you have in writing",
        "number": "give the paper's LaTeX source, or check that its tables are text and not pictures",
    }
    hint = next((text for word, text in hints.items() if word in selected.refusal), None)
    raise CurationRefused(f"{selected.repository} is refused: {selected.refusal}", hint=hint)


def _refusal(selected: SelectedSource) -> str:
    if selected.licence.refusal:
        return selected.licence.refusal
    if not selected.languages.get("Python") and not selected.languages.get("notebook"):
        return "it has no Python code and no notebook"
    if not selected.paper_numbers + selected.readme_numbers + selected.stated_numbers:
        return "neither the paper nor a README states a number, in a table or in a sentence"
    if not selected.commands:
        return "it has no script, notebook or written command that looks runnable"
    return ""


def _languages(files: Mapping[str, bytes]) -> dict[str, int]:
    sizes: Counter[str] = Counter()
    for path, data in files.items():
        language = _LANGUAGES.get(PurePosixPath(path).suffix.lower())
        if language:
            sizes[language] += len(data)
    return dict(sizes.most_common())


def _device(files: Mapping[str, bytes]) -> Literal["cpu", "either", "gpu"]:
    sources = [data.decode(errors="replace") for path, data in files.items() if path.endswith(".py")]
    if not any(_CUDA.search(source) for source in sources):
        return "cpu"
    return "either" if any(_CPU_TOO.search(source) for source in sources) else "gpu"


def _downloads(files: Mapping[str, bytes]) -> Iterator[EvidencePlace]:
    for path, data in sorted(files.items()):
        if path.endswith((".py", ".sh")):
            text = data.decode(errors="replace")
            for match in _DATA.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield EvidencePlace(kind="code", file=path, line=line, text=quoted(match.group()))


def _forecast(
    files: Mapping[str, bytes], commands: list[FoundCommand], seconds: float, runs: int
) -> SelectForecast:
    texts = [
        data.decode(errors="replace")
        for path, data in files.items()
        if path.endswith((".py", ".txt", ".toml"))
    ]
    heavy = any(_HEAVY.search(text) for text in texts)
    # Nothing is known of the runs yet: a quarter of the limit for the first one of each command.
    minutes = (_HEAVY_MINUTES if heavy else _ENVIRONMENT_MINUTES) + len(commands) * seconds * (
        runs + 3
    ) / 4 / 240
    return SelectForecast(minutes=round(minutes, 1), disk_mb=3000 if heavy else 400)


def with_licence(selected: SelectedSource, licence: LicenceFound) -> SelectedSource:
    """Return the source with a licence that the user has in writing."""
    changed = selected.model_copy(update={"licence": licence})
    return changed.model_copy(update={"refusal": _refusal(changed)})
