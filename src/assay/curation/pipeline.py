"""All stages of `assay curate` in order; each is skipped if its file is there and its inputs are the same."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import get_args

from assay.curation import certifying, matching, publishing_suite, running, selecting
from assay.curation.certifying import CertificatesStage, CertifiedDraft, certify_drafts
from assay.curation.commands import FoundCommand
from assay.curation.drafting import making
from assay.curation.drafting.making import DraftContext, make_drafts
from assay.curation.drafting.model import DraftsStage
from assay.curation.experiment_runner import ExperimentRunner
from assay.curation.ideation.proving import IdeationSource, make_ideation
from assay.curation.licences import LicenceFound
from assay.curation.linking import link_documents, links_in_words
from assay.curation.literature.proving import make_literature
from assay.curation.matching import LinksStage
from assay.curation.paper import PaperText, read_paper
from assay.curation.paper.markdown import read_markdown
from assay.curation.proposing.asking import ModelAsker, ModelChoice
from assay.curation.proposing.command_proposals import propose_commands
from assay.curation.proposing.link_proposals import add_proposed_links
from assay.curation.publishing_suite import PublishStage, publish_suite
from assay.curation.recorded_command import RecordedCommand, write_command
from assay.curation.repository_files import PinnedRepository, open_pinned
from assay.curation.reviewed import read_review
from assay.curation.running import ExperimentRuns, RunsStage
from assay.curation.selecting import SelectedSource, raise_refusal, select
from assay.curation.stage_files import CurationFolder, StageName
from assay.errors import CurationRefused
from assay.tasks.lock import EnvironmentLock
from assay.workspace.building import BuildRequest, build
from assay.workspace.environments import locked_environment

PAPER_VERSION = 2
STAGES: tuple[StageName, ...] = get_args(StageName)


@dataclass(frozen=True)
class CurationOptions:
    """The options of `assay curate`."""

    paper: Path
    repository: str
    out: Path
    commit: str | None = None
    licence: str | None = None
    """A licence that the user has in writing, for a repository without one."""
    seconds: float = 120.0
    """Time limit of one run."""
    runs: int = 3
    commands: int = 12
    """Most commands that are run."""
    python: str | None = None
    last_stage: StageName = "publish"
    """The last stage to make."""
    literature: bool = False
    """Whether a literature task is made from the paper, too."""
    ideation: str | None = None
    """`auto` or BASELINE=METHOD: an ideation task is made from a draft, too."""
    model: ModelChoice | None = None
    """Proposes commands and links, and writes texts where rules leave gaps."""
    report: Callable[[str], None] = field(default=lambda line: None)


@dataclass
class CurationResult:
    """What the stages made; None for a stage that was not reached."""

    folder: Path
    selected: SelectedSource
    paper: PaperText
    literature: CertifiedDraft | None = None
    lock: EnvironmentLock | None = None
    runs: RunsStage | None = None
    links: LinksStage | None = None
    drafts: DraftsStage | None = None
    ideation: CertifiedDraft | None = None
    certificates: CertificatesStage | None = None
    published: PublishStage | None = None


def curate(options: CurationOptions) -> CurationResult:
    """Make the stages up to `last_stage`; raise `CurationRefused` if nothing can come of the source."""
    folder = CurationFolder(options.out, options.report)
    paper = read_paper(options.paper)
    with folder.opened(), open_pinned(options.repository, options.commit) as repository:
        write_command(options.out, _recorded(options))
        return _Curation(options, folder, repository, paper).make()


def _recorded(options: CurationOptions) -> RecordedCommand:
    local = Path(options.repository)
    return RecordedCommand(
        paper=str(options.paper.resolve()),
        repository=str(local.resolve()) if local.exists() else options.repository,
        commit=options.commit,
        licence=options.licence,
        seconds=options.seconds,
        runs=options.runs,
        commands=options.commands,
        python=options.python,
        model=options.model.name if options.model else None,
        base_url=options.model.base_url if options.model else None,
    )


class _Curation:
    def __init__(
        self, options: CurationOptions, folder: CurationFolder, repository: PinnedRepository, paper: PaperText
    ) -> None:
        self._options = options
        self._folder = folder
        self._repository = repository
        self._fresh_paper = paper
        self._asker = (
            ModelAsker(options.model, options.out / "model", options.report) if options.model else None
        )
        # A README that is itself the paper is read once.
        self._readmes = {
            path: text
            for path, text in _readmes(repository.files).items()
            if text.tables != paper.tables or not _same_words(text, paper)
        }

    def make(self) -> CurationResult:
        options, folder = self._options, self._folder
        selected = self._select()
        raise_refusal(selected)
        if self._ends_at("select"):
            return CurationResult(options.out, selected, self._fresh_paper)
        paper = folder.make("paper", PaperText, [PAPER_VERSION, self._paper_key()], lambda: self._fresh_paper)
        result = CurationResult(options.out, selected, paper)
        options.report(
            f"paper: {len(paper.tables)} tables with {paper.number_count} numbers, "
            f"{len(paper.sections)} sections with {paper.stated_count} numbers in sentences"
        )
        if options.literature:
            place = make_literature(paper, self._repository.name, options.out / "literature", options.report)
            result.literature = place
        if self._ends_at("paper"):
            return result
        result.lock = self._environment()
        if self._ends_at("environment"):
            return result
        result.runs = self._runs(selected, result.lock)
        if self._ends_at("runs"):
            return result
        result.links = self._links(paper, result.runs)
        if self._ends_at("links"):
            return result
        result.drafts = self._drafts(result, result.runs, result.links, result.lock)
        if options.ideation is not None:
            source = IdeationSource(
                result.drafts,
                {"paper": paper, **self._readmes},
                result.runs,
                self._repository.files,
                result.lock,
                options.out,
                options.seconds,
                options.report,
            )
            result.ideation = make_ideation(source, options.ideation)
        if self._ends_at("drafts"):
            return result
        result.certificates = self._certificates(result.drafts, result.lock)
        if self._ends_at("certificates"):
            return result
        result.published = self._publish(result)
        return result

    def _ends_at(self, stage: StageName) -> bool:
        return STAGES.index(self._options.last_stage) <= STAGES.index(stage)

    def _paper_key(self) -> str:
        return hashlib.sha256(self._fresh_paper.model_dump_json().encode()).hexdigest()

    def _select(self) -> SelectedSource:
        options, repository = self._options, self._repository
        inputs = [
            selecting.VERSION,
            repository.digest,
            repository.commit,
            self._paper_key(),
            options.licence,
            options.seconds,
            options.runs,
        ]

        def work() -> SelectedSource:
            selected = select(repository, self._fresh_paper, self._readmes, options.seconds, options.runs)
            if options.licence and not selected.licence.name:
                licence = LicenceFound(name=options.licence)
                selected = selecting.with_licence(selected, licence)
            return selected

        selected = self._folder.make("select", SelectedSource, inputs, work)
        options.report(
            f"select: {selected.licence.name or 'no licence'}, {len(selected.commands)} commands, "
            f"{selected.paper_numbers} numbers in the paper's tables and {selected.readme_numbers} in README "
            f"tables; forecast {selected.forecast.minutes:.0f} minutes, {selected.forecast.disk_mb} MB"
        )
        return selected

    def _environment(self) -> EnvironmentLock:
        options, repository = self._options, self._repository
        inputs = [1, repository.digest, str(repository.committed), options.python]

        def work() -> EnvironmentLock:
            request = BuildRequest(
                repository.folder, before=repository.committed, python=options.python, gpu=False
            )
            lock = build(request, options.report).lock
            imports = lock.ladder.get("C0")
            if imports is not None and imports.status == "unmet":
                options.report(f"environment: {imports.evidence}")
            return lock.model_copy(update={"repository": repository.name, "commit": repository.commit})

        return self._folder.make("environment", EnvironmentLock, inputs, work)

    def _runs(self, selected: SelectedSource, lock: EnvironmentLock) -> RunsStage:
        options, repository = self._options, self._repository
        commands = _likely(selected.commands, options.commands)
        if self._asker is not None:
            commands += propose_commands(self._asker, self._fresh_paper, repository.files, commands)
        # What the lock says of itself (notes, rungs) changes no run.
        context = [repository.digest, lock.python, lock.requirements]
        inputs = [running.VERSION, context, commands, options.seconds, options.runs]

        def work() -> RunsStage:
            runner = ExperimentRunner(repository.files, locked_environment(lock), options.seconds)
            runs = ExperimentRuns(runner, self._folder.folder / "runs", context, options.report)
            return asyncio.run(runs.run_all(commands, options.runs))

        stage = self._folder.make("runs", RunsStage, inputs, work)
        if not stage.with_numbers:
            reasons = [
                f"`{command.command.command}`: {command.failure or 'no number'}" for command in stage.commands
            ]
            raise CurationRefused(
                f"{repository.name} does not run: none of its {len(stage.commands)} commands ends well "
                f"with a number ({'; '.join(reasons[:4])})",
                hint=f"{self._folder.path('runs')} has the last words of each; --seconds gives more time",
            )
        return stage

    def _links(self, paper: PaperText, runs: RunsStage) -> LinksStage:
        inputs: list[object] = [
            matching.VERSION,
            [paper.tables, paper.sentences],
            {name: [text.tables, text.sentences] for name, text in self._readmes.items()},
            runs,
        ]
        asker = self._asker
        if asker is not None:
            inputs.append(asker.choice.name)

        def work() -> LinksStage:
            links = link_documents(paper, self._readmes, runs)
            if asker is None:
                return links
            return add_proposed_links(asker, {"paper": paper, **self._readmes}, runs, links)

        stage = self._folder.make("links", LinksStage, inputs, work)
        if stage.refuted:
            self._options.report(f"links: the runs refute {stage.refuted} links that the model proposed")
        self._options.report(f"links: {links_in_words(stage)}")
        return stage

    def _drafts(
        self, result: CurationResult, runs: RunsStage, links: LinksStage, lock: EnvironmentLock
    ) -> DraftsStage:
        options, repository = self._options, self._repository
        inputs: list[object] = [making.VERSION, links, runs, result.paper, repository.digest, options.seconds]
        if self._asker is not None:
            inputs.append(self._asker.choice.name)

        def work() -> DraftsStage:
            context = DraftContext(
                name=PurePosixPath(repository.name).stem,
                documents={"paper": result.paper, **self._readmes},
                runs=runs,
                files=repository.files,
                environment=locked_environment(lock),
                folder=self._folder.folder,
                seconds=options.seconds,
                report=options.report,
                asker=self._asker,
            )
            return asyncio.run(make_drafts(links, context))

        return self._folder.make("drafts", DraftsStage, inputs, work)

    def _certificates(self, drafts: DraftsStage, lock: EnvironmentLock) -> CertificatesStage:
        inputs = [certifying.VERSION, drafts, self._repository.digest, lock.requirements, lock.python]
        return self._folder.make(
            "certificates",
            CertificatesStage,
            inputs,
            lambda: certify_drafts(
                drafts, self._repository.files, lock, self._folder.folder, self._options.report
            ),
        )

    def _publish(self, result: CurationResult) -> PublishStage:
        runs, links, drafts, certificates = result.runs, result.links, result.drafts, result.certificates
        if runs is None or links is None or drafts is None or certificates is None:
            raise AssertionError("all stages before this one were made")
        inputs = [publishing_suite.VERSION, result.selected, runs, links, drafts, certificates]
        review = read_review(self._folder.folder)
        inputs += [review] if review else []
        return self._folder.make(
            "publish",
            PublishStage,
            inputs,
            lambda: publish_suite(
                self._folder.folder,
                result.selected,
                result.paper,
                runs,
                links,
                drafts,
                certificates,
                self._folder.ledger(),
            ),
        )


def _likely(commands: list[FoundCommand], most: int) -> list[FoundCommand]:
    """The commands that are run: what the authors wrote, then scripts; tests last."""
    ranked = sorted(commands, key=lambda command: command.origin == "test")
    return ranked[:most]


def _same_words(first: PaperText, second: PaperText) -> bool:
    return [sentence.text for sentence in first.sentences] == [sentence.text for sentence in second.sentences]


def _readmes(files: Mapping[str, bytes]) -> dict[str, PaperText]:
    """The README files at most one folder deep, read as documents."""
    readmes = {}
    for path, data in sorted(files.items()):
        name = PurePosixPath(path).name.lower()
        if name.startswith("readme") and name.endswith(".md") and path.count("/") <= 2:
            readmes[path] = read_markdown(data.decode(errors="replace"), path)
    return readmes
