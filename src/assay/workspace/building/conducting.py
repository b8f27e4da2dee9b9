"""The loop: resolve, install, import; on a failure one repair, and everything anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import EnvironmentFailed
from assay.tasks.lock import Reached
from assay.workspace.building.ladder import try_imports
from assay.workspace.building.plan import Failure, Plan
from assay.workspace.building.repairs import repaired
from assay.workspace.building.resolving import resolve
from assay.workspace.building.source import Source
from assay.workspace.building.wanted import Wanted
from assay.workspace.environments import build_environment

MOST_REPAIRS = 40
NOT_INSTALLED = "nothing was installed (--no-install)"
_CUDA = "nvidia-"
"""How the distributions begin that hold CUDA, several gigabytes together."""


@dataclass(frozen=True)
class Standing:
    """An environment that could be made, or with `environment` None, only resolved."""

    plan: Plan
    pins: list[str]
    environment: Path | None
    imports: Reached
    repairs: tuple[str, ...]


@dataclass
class Conductor:
    """Tries plans until one carries the repository."""

    source: Source
    wanted: Wanted
    install: bool
    cuda: bool
    tell: Callable[[str], None]
    repairs: list[str] = field(default_factory=list)

    def conduct(self) -> Standing:
        """The first environment whose imports hold, else the last that could be made."""
        plan, best = self.wanted.plan, None
        tried: set[Plan] = set()
        while True:
            tried.add(plan)
            found = self._attempt(plan)
            if isinstance(found, Standing):
                best = found
                if found.imports.status != "unmet":
                    return found
                failure = Failure("import", found.imports.evidence)
            else:
                failure = found
            answer = repaired(plan, failure, frozenset(tried)) if len(self.repairs) < MOST_REPAIRS else None
            if answer is None:
                return best or self._give_up(failure)
            repair, mended = answer
            self.repairs.append(f"{repair.name}: {mended.detail}")
            self.tell(f"repair {self.repairs[-1]}")
            plan = mended.plan

    def _attempt(self, plan: Plan) -> Standing | Failure:
        day = f" as of {plan.before}" if plan.before else ""
        self.tell(f"resolving {len(plan.wishes)} requirements for Python {plan.python}{day}")
        pins = resolve(plan)
        if isinstance(pins, Failure):
            return pins
        if why := self._why_not(pins):
            return Standing(plan, pins, None, Reached(status="unknown", evidence=why), tuple(self.repairs))
        self.tell(f"installing {len(pins)} distributions")
        built = sorted(plan.sdists & {pin.partition("==")[0] for pin in pins})
        try:
            environment = build_environment(
                pins,
                plan.python,
                before=plan.before if built else None,
                build_constraints=plan.build_constraints if built else (),
            )
        except EnvironmentFailed as problem:
            return Failure("install", problem.message)
        self.tell("importing everything in the sandbox")
        imports, left = self.wanted.imports, self.wanted.passed_over(plan)
        uses = [use for module, each in imports.needed.items() if module not in left for use in each]
        reached = try_imports(environment, self.source.folder, imports.own, uses)
        if left:
            told = f"{reached.evidence}\npassed over, since only functions import them: {', '.join(left)}"
            reached = reached.model_copy(update={"evidence": told})
        return Standing(plan, pins, environment, reached, tuple(self.repairs))

    def _why_not(self, pins: list[str]) -> str | None:
        """The reason for which nothing is installed, if there is one."""
        heavy = [pin for pin in pins if pin.startswith(_CUDA) and not pin.startswith("nvidia-ml-py")]
        if not self.install:
            return NOT_INSTALLED
        if heavy and not self.cuda:
            return (
                f"gigabytes of CUDA were not installed ({', '.join(heavy[:3])}, …), since there is no GPU or "
                "--cpu was given; --gpu installs them, and with UV_TORCH_BACKEND=cpu uv takes PyTorch's own "
                "builds for the CPU"
            )
        return None

    def _give_up(self, failure: Failure) -> Standing:
        tried = "; ".join(self.repairs) or "none"
        limit = f" (the limit of {MOST_REPAIRS} is reached)" if len(self.repairs) >= MOST_REPAIRS else ""
        raise EnvironmentFailed(
            f"no environment for {self.source.name}: the {failure.stage} step says: {failure.message[-1500:]}"
            f"\nrepairs tried: {tried}{limit}",
            hint="try another --python or --before, or mend the requirements in a copy of the repository",
        )
