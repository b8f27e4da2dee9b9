"""The build loop: resolve, install, import; after a failure apply one repair and start again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import EnvironmentFailed
from assay.tasks.lock import Reached
from assay.workspace.building.ladder import try_imports
from assay.workspace.building.plan import BuildPlan, Failure
from assay.workspace.building.repairs import find_repair
from assay.workspace.building.repository_needs import RepositoryNeeds
from assay.workspace.building.resolving import resolve
from assay.workspace.building.source import RepositorySource
from assay.workspace.environments import build_environment

MAX_REPAIRS = 40
NOT_INSTALLED = "nothing was installed (--no-install)"
_CUDA = ("nvidia-cublas", "nvidia-cudnn", "nvidia-cuda-runtime")
"""Prefixes of distributions that come with several gigabytes of CUDA."""


@dataclass(frozen=True)
class BuildResult:
    """A built environment; with `environment` None it was only resolved."""

    plan: BuildPlan
    pins: list[str]
    environment: Path | None
    imports: Reached
    repairs: tuple[str, ...]


@dataclass
class BuildLoop:
    """Tries plans until the repository's imports work."""

    source: RepositorySource
    needs: RepositoryNeeds
    install: bool
    cuda: bool
    report: Callable[[str], None]
    repairs: list[str] = field(default_factory=list)

    def run(self) -> BuildResult:
        """Return the first environment whose imports work, else the last that could be built."""
        plan, best_result = self.needs.plan, None
        tried_plans: set[BuildPlan] = set()
        while True:
            tried_plans.add(plan)
            result = self._attempt(plan)
            if isinstance(result, BuildResult):
                best_result = result
                if result.imports.status != "unmet":
                    return result
                failure = Failure("import", result.imports.evidence)
            else:
                failure = result
            repair_result = (
                find_repair(plan, failure, frozenset(tried_plans))
                if len(self.repairs) < MAX_REPAIRS
                else None
            )
            if repair_result is None:
                return best_result or self._give_up(failure)
            repair, repaired_plan = repair_result
            self.repairs.append(f"{repair.name}: {repaired_plan.detail}")
            self.report(f"repair {self.repairs[-1]}")
            plan = repaired_plan.plan

    def _attempt(self, plan: BuildPlan) -> BuildResult | Failure:
        day = f" as of {plan.before}" if plan.before else ""
        self.report(f"resolving {len(plan.wishes)} requirements for Python {plan.python}{day}")
        pins = resolve(plan)
        if isinstance(pins, Failure):
            return pins
        if not self.install:
            not_tried = Reached(status="unknown", evidence=NOT_INSTALLED)
            return BuildResult(plan, pins, None, not_tried, tuple(self.repairs))
        if not self.cuda and any(pin.startswith(_CUDA) for pin in pins):
            return Failure("cuda", "\n".join(pins))
        self.report(f"installing {len(pins)} distributions")
        built_sdists = sorted(plan.sdists & {pin.partition("==")[0] for pin in pins})
        try:
            environment = build_environment(
                pins,
                plan.python,
                before=plan.before if built_sdists else None,
                build_constraints=plan.build_constraints if built_sdists else (),
            )
        except EnvironmentFailed as problem:
            return Failure("install", problem.message)
        self.report("importing everything in the sandbox")
        return BuildResult(plan, pins, environment, self._try_imports(plan, environment), tuple(self.repairs))

    def _try_imports(self, plan: BuildPlan, environment: Path) -> Reached:
        """C0, without modules that only functions import and whose distributions a repair has dropped."""
        imports, skipped = self.needs.imports, self.needs.skipped_modules(plan)
        all_uses = {use for module, uses in imports.needed.items() if module not in skipped for use in uses}
        path_uses = {use for module, uses in imports.on_path.items() if module not in skipped for use in uses}
        reached = try_imports(
            environment,
            self.source.folder,
            imports.own,
            path_uses,
            other_uses=all_uses - path_uses,
            search=self.needs.search,
        )
        if not skipped:
            return reached
        evidence = f"{reached.evidence}\nskipped, because only functions import them: {', '.join(skipped)}"
        return reached.model_copy(update={"evidence": evidence})

    def _give_up(self, failure: Failure) -> BuildResult:
        tried_repairs = "; ".join(self.repairs) or "none"
        limit = f" (the limit of {MAX_REPAIRS} is reached)" if len(self.repairs) >= MAX_REPAIRS else ""
        raise EnvironmentFailed(
            f"no environment for {self.source.name}: the {failure.stage} step failed: "
            f"{_shortened(failure)}\nrepairs tried: {tried_repairs}{limit}",
            hint="run it on a machine with a GPU, or install the builds for CUDA with --gpu"
            if failure.stage == "cuda"
            else "try another --python or --before, or fix the requirements in a copy of the repository",
        )


def _shortened(failure: Failure) -> str:
    if failure.stage != "cuda":
        return failure.message[-1500:]
    return (
        "this machine has no GPU (or --cpu is set), the package index has only builds for CUDA, and no build "
        "for the CPU can be reached: neither PyTorch's own index nor a folder (UV_FIND_LINKS) has it"
    )
