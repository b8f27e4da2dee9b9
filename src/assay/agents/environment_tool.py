"""A tool that says what the environment of a task has: `assay env`'s import check, for an agent.

It installs nothing: grading runs in the same environment, without network.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Literal

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import sandbox
from pydantic import BaseModel

from assay.workspace.building.distribution_names import distributions_of, successor_of

SECONDS = 120
MOST_LISTED = 1_000
"""Packages or imports that the answer names: what a probe prints can be made by the agent's own files."""
LONGEST_LINE = 400
PROBE = r"""
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import ast, importlib, json, os
try:
    from importlib import metadata
except ImportError:
    metadata = None
installed = {}
for distribution in metadata.distributions() if metadata else []:
    installed[str(distribution.metadata["Name"])] = str(distribution.version)
problems, checked, own = {}, set(), set()
if sys.argv[1] == "check":
    paths = []
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".")]
        own.update(folders)
        own.update(name[:-3] for name in names if name.endswith(".py"))
        paths += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    chosen = [path for path in paths if os.path.normpath(path).startswith(os.path.normpath(sys.argv[2]))]
    for path in paths if sys.argv[2] == "." else chosen:
        try:
            tree = ast.parse(open(path, errors="replace").read())
        except SyntaxError as error:
            problems[path] = "does not parse: %s" % error
            continue
        for node in ast.walk(tree):
            wanted = []
            if isinstance(node, ast.Import):
                wanted = [(alias.name, None) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                wanted = [(node.module, alias.name) for alias in node.names]
            for module, name in wanted:
                if (module, name) in checked or module.split(".")[0] in own:
                    continue
                checked.add((module, name))
                try:
                    found = importlib.import_module(module)
                    if name not in (None, "*") and not hasattr(found, name):
                        importlib.import_module(module + "." + name)
                except BaseException as error:
                    key = module if name is None else "%s: %s" % (module, name)
                    problems[key] = "%s: %s" % (type(error).__name__, str(error)[:200])
print(json.dumps({"python": sys.version.split()[0], "installed": installed, "problems": problems,
                  "checked": len(checked)}))
sys.stdout.flush()
os._exit(0)
"""


class EnvironmentReport(BaseModel):
    """What the probe prints."""

    python: str
    installed: dict[str, str]
    problems: dict[str, str]
    checked: int


@tool
def environment() -> Tool:
    """Return the tool, for an agent with `tools=environment`."""

    async def execute(action: Literal["packages", "check"], path: str = ".") -> str:
        """Look at the Python environment in which the work is run and graded.

        Args:
            action: `packages` lists what is installed, with versions. `check` imports every module that
                the Python files import, and says which fail and what is installed in their place.
            path: The file or folder to check, below the workspace.
        """
        result = await sandbox().exec(["python", "-c", PROBE, action, path], timeout=SECONDS)
        try:
            report = EnvironmentReport.model_validate_json(result.stdout.strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise ToolError(f"the environment could not be read: {result.stderr[-500:]}") from None
        return packages_text(report) if action == "packages" else check_text(report)

    return execute


def packages_text(report: EnvironmentReport) -> str:
    """Return the installed packages as the agent reads them."""
    lines = [f"{name}=={version}" for name, version in sorted(report.installed.items())]
    return f"Python {report.python[:20]}\n{_listed(lines) or 'no packages beyond the standard library'}"


def check_text(report: EnvironmentReport) -> str:
    """Return the imports that fail, each with what can be done about it."""
    if not report.problems:
        return f"all {report.checked} imports work"
    installed = {
        name.lower().replace("_", "-"): (name, version) for name, version in report.installed.items()
    }
    lines = [
        f"- {name}: {problem}{_advice(name, installed)}"
        for name, problem in islice(sorted(report.problems.items()), MOST_LISTED + 1)
    ]
    count = f"{len(report.problems)} of {report.checked}"
    return f"{count} imports fail; nothing can be installed:\n{_listed(lines)}"


def _listed(lines: list[str]) -> str:
    """Some lines, each cut at its longest; more than are listed are only said to be there."""
    ending = ["… and more"] if len(lines) > MOST_LISTED else []
    return "\n".join([*(line[:LONGEST_LINE] for line in lines[:MOST_LISTED]), *ending])


def _advice(name: str, installed: Mapping[str, tuple[str, str]]) -> str:
    """What provides a module, and whether that is installed."""
    distributions = distributions_of(name.partition(":")[0])
    present = [installed[distribution] for distribution in distributions if distribution in installed]
    if present:
        return " ({} {} is installed: look for the name in this version)".format(*present[0])
    if distributions:
        successor = successor_of(distributions[0])
        instead = f", replaced by {successor}" if successor else ""
        return f" (it is part of {distributions[0]}{instead}, which is not installed: write it without)"
    return " (no installed package has it)"
