"""What a re-made run did, from its trace and from the text of the code that ran.

The trace says which functions of the repository were called and returned. The text says what a trace cannot:
calls of libraries, imports and settings. Text counts only where its statement ran to its end.

What it does not cover: a library that is replaced from inside a library.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping

from assay.grading.derived_checks.evidence import Evidence, SeenCalls
from assay.grading.derived_checks.repository import RepositorySources, SourceModule, dotted_name
from assay.grading.derived_checks.shell_commands import options_of
from assay.grading.derived_checks.source_reading import SourceReader, StatementSummary
from assay.grading.execution_trace import ExecutionTrace, never_run
from assay.grading.execution_trace.statements import first_line_of, own_lines
from assay.tasks import Value

_SHELL = (".sh", ".bash", ".zsh")
_REPLACING = frozenset(
    ("setattr", "patch", "patch.object", "mock.patch", "mock.patch.object", "exec", "eval")
)
_GUARDS = frozenset(("suppress", "raises", "assertRaises"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def run_evidence(
    trace: ExecutionTrace, submitted: Mapping[str, bytes], original_files: Mapping[str, bytes]
) -> Evidence:
    """What one run did; `given` are the files of the task that were left unchanged."""
    evidence = Evidence(open_because=_why_open(trace))
    for call in trace.calls:
        evidence.touched |= {call.path, call.name, call.name.rpartition(".")[2]}
        if call.path in original_files and call.returned:
            evidence.calls[call.path, call.name] = SeenCalls(call.returned, list(call.arguments))
        for arguments in call.arguments:
            for name, value in arguments.items():
                if value is not None:
                    evidence.settings.setdefault(name, []).append(value)
    evidence.lines = {
        path: frozenset(lines) for path, lines in trace.given_lines.items() if path in original_files
    }
    evidence.sources = {path: original_files[path].decode(errors="replace") for path in evidence.lines}
    repository = RepositorySources({**original_files, **submitted})
    for path in trace.lines:
        if path not in trace.loose:
            _add_source(evidence, path, trace, repository, frozenset(submitted))
    _add_programs(evidence, trace, repository, original_files)
    return evidence


def _why_open(trace: ExecutionTrace) -> str | None:
    """Why more may have happened than the trace shows."""
    unread_files = [path for path in trace.ran if path not in trace.python and not path.endswith(_SHELL)]
    reasons = {
        trace.gap or "": trace.gap is not None,
        "the run opened the record of what it executes": trace.forged,
        "this Python cannot be followed": trace.blind or trace.opened is None,
        "code ran that stands in no file": trace.inline,
        f"{', '.join(trace.loose)} was not followed to the end": bool(trace.loose),
        f"{', '.join(unread_files)} is not Python": bool(unread_files),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _add_source(
    evidence: Evidence,
    path: str,
    trace: ExecutionTrace,
    repository: RepositorySources,
    submitted_paths: frozenset[str],
) -> None:
    """Add what the text of one submitted file says, where it ran."""
    module = repository.module(path)
    reader = SourceReader(module, repository)
    executed = list(_done_statements(module, trace))
    reading = reader.read(executed, certain=True)
    evidence.imports |= set(reading.imports)
    evidence.touched |= {call.name.rpartition(".")[2] for call in reading.calls}
    if installed := _runs_elsewhere(reading, path, repository, trace, submitted_paths):
        evidence.open_because = evidence.open_because or f"{installed} may be an installed copy"
    used = {
        node.id
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    } | {node.attr for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
    for name, values in reading.settings.items():
        if name in used:
            evidence.settings.setdefault(name, []).extend(values)
    if _replaces(executed, module):
        evidence.open_because = evidence.open_because or f"{path} replaces functions"
        return
    for call in reading.calls:
        if (
            call.symbol is None
            and repository.find_module(call.name.partition(".")[0], path) not in submitted_paths
        ):
            calls = evidence.library.setdefault(call.name, SeenCalls())
            calls.count += 1
            calls.arguments += [{name: values[0] for name, values in call.arguments.items()}]


def _runs_elsewhere(
    reading: StatementSummary,
    path: str,
    repository: RepositorySources,
    trace: ExecutionTrace,
    submitted_paths: frozenset[str],
) -> str | None:
    """A module of the repository that was imported although its file did not run."""
    for name in reading.imports:
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            file = repository.find_module(".".join(parts[:count]), path)
            if file is not None:
                if file not in submitted_paths and file not in trace.given and repository.files[file].strip():
                    return name
                break
    return None


def _done_statements(module: SourceModule, trace: ExecutionTrace) -> Iterator[ast.stmt]:
    """The statements that ran to their end: reached, not caught by a handler, in functions that returned."""
    ran = frozenset(trace.lines[module.path])
    idle = never_run(module.tree, ran)
    returned = {call.name for call in trace.calls if call.path == module.path and call.returned}
    waiting: list[tuple[ast.AST, str, bool]] = [(module.tree, "", True)]
    while waiting:
        node, prefix, counts = waiting.pop()
        try_body = set(map(id, node.body)) if isinstance(node, ast.Try) and _was_handled(node, ran) else ()
        for child in ast.iter_child_nodes(node):
            inner, child_counts = prefix, counts
            if isinstance(child, _FUNCTIONS):
                inner, child_counts = f"{prefix}{child.name}.", f"{prefix}{child.name}" in returned
            elif isinstance(child, ast.ClassDef):
                inner = f"{prefix}{child.name}."
            elif id(child) in try_body or (isinstance(child, ast.With) and _is_guard(child)):
                child_counts = False
            if isinstance(child, ast.stmt) and child_counts and own_lines(child)[0] not in idle:
                yield child
            waiting.append((child, inner, child_counts))


def _was_handled(node: ast.Try, ran: frozenset[int]) -> bool:
    """Whether a handler of a `try` ran, so that something in its body failed."""
    return any(first_line_of(handler.body[0]) in ran for handler in node.handlers)


def _is_guard(node: ast.With) -> bool:
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any((dotted_name(call.func) or "").rpartition(".")[2] in _GUARDS for call in calls)


def _replaces(executed: list[ast.stmt], module: SourceModule) -> bool:
    """Whether code puts its own functions in the place of imported ones."""
    for statement in executed:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
                target = node.value if isinstance(node, ast.Subscript) else node
                head = (dotted_name(target) or "").partition(".")[0]
                if head in module.imports or (dotted_name(target) or "") == "sys.modules":
                    return True
            if isinstance(node, ast.Call) and (dotted_name(node.func) or "") in _REPLACING:
                return True
    return False


def _add_programs(
    evidence: Evidence,
    trace: ExecutionTrace,
    repository: RepositorySources,
    original_files: Mapping[str, bytes],
) -> None:
    """Add the programs of the repository that were started and ended."""
    set_by_options: dict[str, list[Value]] = {}
    for program in trace.started:
        target, words = program.target
        options = options_of(words)
        if target.startswith("-m "):
            path = repository.find_module(target[3:], posixpath.join(program.folder, "x"))
        else:
            path = posixpath.normpath(posixpath.join(program.folder, target)).removeprefix("/workspace/")
        for name, values in options.items():
            set_by_options.setdefault(name.replace("-", "_"), []).extend(values)
        if path is not None and path in original_files and _ended(repository.module(path), trace):
            evidence.programs.append((path, options))
        evidence.touched |= {path or target}
    # How a program of another language ended is not known, so it proves nothing; it was touched all the same.
    evidence.touched |= {program.file for program in trace.outside if program.file}
    # An option takes the place of the default in the text.
    evidence.settings |= set_by_options


def _ended(module: SourceModule, trace: ExecutionTrace) -> bool:
    """Whether a program got to its last statement, and what that calls returned."""
    ran = frozenset(trace.given_lines.get(module.path, ()))
    last = module.tree.body[-1] if module.tree.body else None
    while isinstance(last, ast.If) and last.body:
        last = last.body[-1]
    if last is None or not ran & set(range(last.lineno, (last.end_lineno or last.lineno) + 1)):
        return False
    called = {dotted_name(node.func) for node in ast.walk(last) if isinstance(node, ast.Call)}
    returned = {call.name for call in trace.calls if call.path == module.path and call.returned}
    return all(name in returned for name in called if name in module.definitions)
