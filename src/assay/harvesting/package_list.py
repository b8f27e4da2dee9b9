"""Reads the list of a harvest: a text with one package a line, or TOML with a table for each package."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from typing import Any, NoReturn

from pydantic import Field, ValidationError

from assay.errors import UsageError
from assay.files import read_listed
from assay.rules.documents import read_toml
from assay.tasks.metric import Strict
from assay.tasks.model import explain

_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:==([A-Za-z0-9.!+_-]+))?")


class PackageRequest(Strict):
    """One package of the list, and how its code runs."""

    name: str
    version: str | None = None
    """None for the newest version with a source distribution."""
    sha256: str | None = None
    """The hash that its archive must have."""
    run: str | None = None
    """The command that makes numbers; without `run` and `tests`, Assay looks for one."""
    metrics: list[str] = []
    tests: list[str] = []
    """Test files or folders; `.` for all tests of the package."""
    include: list[str] = Field(default=[], alias="only")
    """Patterns of functions and files to choose from."""
    exclude: list[str] = []
    requirements: list[str] = []
    """Packages of the environment, in place of those that the metadata names."""


def read_package_list(path: Path) -> list[PackageRequest]:
    """Return the packages of a list; raise if a line cannot be read or a name is there twice."""
    try:
        text = read_listed(path)
    except OSError as error:
        raise UsageError(f"the list {path} cannot be read: {error.strerror}") from None
    if path.suffix == ".toml":
        packages = _from_toml(text, path)
    else:
        packages = [
            _from_line(line.strip(), f"{path}:{number}")
            for number, line in enumerate(text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
    names = [package.name.lower() for package in packages]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"{path}: the package {repeated!r} is there twice")
    if not packages:
        raise UsageError(f"{path} names no package", hint="write one package a line: textdistance==4.6.3")
    return packages


def _from_toml(text: str, path: Path) -> list[PackageRequest]:
    try:
        tables: list[dict[str, Any]] = read_toml(text).get("package", [])
        return [_checked(table, f"{path}: [[package]] {number}") for number, table in enumerate(tables, 1)]
    except ValueError as error:
        raise UsageError(f"{path} is no TOML: {error}") from None


def _checked(table: dict[str, Any], place: str) -> PackageRequest:
    try:
        package = PackageRequest.model_validate(table)
    except ValidationError as error:
        raise UsageError(f"{place}: {explain(error)}") from None
    if not re.fullmatch(_NAME.pattern.partition("(?:")[0], package.name):
        raise UsageError(f"{place}: {package.name!r} is no name of a package")
    if package.run and (package.tests or not package.metrics):
        raise UsageError(f"{place}: `run` needs `metrics`, and no `tests`")
    return package


class _LineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _from_line(line: str, place: str) -> PackageRequest:
    """Read `NAME==VERSION --tests tests --only 'src/*'`."""
    parser = _LineParser(add_help=False, allow_abbrev=False)
    parser.add_argument("package")
    parser.add_argument("--run")
    for option in ("--metrics", "--tests", "--only", "--exclude", "--requirements"):
        parser.add_argument(option, action="append", default=[])
    try:
        options = vars(parser.parse_args(shlex.split(line, comments=True)))
    except (UsageError, ValueError) as error:
        raise UsageError(f"{place}: {error}", hint="NAME==VERSION [--tests PATH] [--only PATTERN]") from None
    match = _NAME.fullmatch(options.pop("package"))
    if match is None:
        raise UsageError(f"{place}: {line!r} does not begin with NAME==VERSION")
    return _checked({"name": match.group(1), "version": match.group(2), **options}, place)
