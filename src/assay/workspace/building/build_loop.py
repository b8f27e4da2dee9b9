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
_CUDA = "nvidia-"
"""Prefix of the distributions that contain CUDA, several gigabytes together."""


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
        if reason := self._reason_not_to_install(pins):
            return BuildResult(
                plan, pins, None, Reached(status="unknown", evidence=reason), tuple(self.repairs)
            )
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
        imports, skipped = self.needs.imports, self.needs.skipped_modules(plan)
        uses = [
            use
            for module, module_uses in imports.needed.items()
            if module not in skipped
            for use in module_uses
        ]
        reached = try_imports(environment, self.source.folder, imports.own, uses)
        if skipped:
            evidence = (
                f"{reached.evidence}\nskipped, because only functions import them: {', '.join(skipped)}"
            )
            reached = reached.model_copy(update={"evidence": evidence})
        return BuildResult(plan, pins, environment, reached, tuple(self.repairs))

    def _reason_not_to_install(self, pins: list[str]) -> str | None:
        """Return why nothing is installed, or None."""
        cuda_pins = [pin for pin in pins if pin.startswith(_CUDA) and not pin.startswith("nvidia-ml-py")]
        if not self.install:
            return NOT_INSTALLED
        if cuda_pins and not self.cuda:
            return (
                f"Assay did not install gigabytes of CUDA ({', '.join(cuda_pins[:3])}, …), because there is "
                "no GPU or --cpu is set; --gpu installs them, and with UV_TORCH_BACKEND=cpu uv installs "
                "PyTorch's own builds for the CPU"
            )
        return None

    def _give_up(self, failure: Failure) -> BuildResult:
        tried_repairs = "; ".join(self.repairs) or "none"
        limit = f" (the limit of {MAX_REPAIRS} is reached)" if len(self.repairs) >= MAX_REPAIRS else ""
        raise EnvironmentFailed(
            f"no environment for {self.source.name}: the {failure.stage} step failed: "
            f"{failure.message[-1500:]}\nrepairs tried: {tried_repairs}{limit}",
            hint="try another --python or --before, or fix the requirements in a copy of the repository",
        )
