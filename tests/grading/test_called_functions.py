"""What a followed process leaves about its calls, its start and its files, under every Python of a task."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.grading.execution_trace import ExecutionTrace, hook, read_trace
from tests.interpreters import one_of_each_minor

PYTHONS = {
    version: program for version, program in one_of_each_minor().items() if version not in ("3.6", "3.7")
}
METHODS = b"""class Search:
    def __init__(self, depth=3):
        self.depth = depth

    @staticmethod
    def step(width, *, alpha=0.05, **options):
        return width * alpha


def fail(reason):
    raise ValueError(reason)


def numbers(count):
    for number in range(count):
        yield number


def end_early(code):
    raise SystemExit(code)
"""
SCRIPT = b"""import os, sys
from methods import Search, end_early, fail, numbers

def main(name, rows):
    search = Search(depth=2)
    for number in numbers(100):
        search.step(number % 20, verbose=True, rows=rows)
    try:
        fail("no data")
    except ValueError:
        pass
    child = os.fork()
    if not child:
        search.step(99, alpha=0.5)
        os._exit(0)
    os.waitpid(child, 0)
    with open("out/results.json", "w") as out:
        out.write("{}")

if __name__ == "__main__":
    main(sys.argv[2], [1, 2])
    end_early(0)
"""


@pytest.fixture(scope="module", params=PYTHONS)
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ExecutionTrace:
    """What a run of SCRIPT leaves; the hook is placed as in a sandbox, in a copy of `encodings`."""
    program, folder = PYTHONS[request.param], tmp_path_factory.mktemp("followed")
    library = subprocess.check_output(
        [program, "-c", "import encodings; print(encodings.__path__[0])"], text=True
    ).strip()
    shutil.copytree(library, folder / "hooked" / "encodings")
    workspace, traces = folder / "workspace", folder / "workspace" / ".git" / "trace"
    (workspace / "out").mkdir(parents=True)
    traces.mkdir(parents=True)
    source = Path(hook.__file__).read_text().replace("@FOLDER@", str(traces)).replace("@KEY@", "sealed")
    source = source.replace('WORKSPACE = "/workspace/"', f"WORKSPACE = {str(workspace) + '/'!r}")
    with (folder / "hooked" / "encodings" / "__init__.py").open("a") as file:
        file.write(f'\nexec(compile({source!r}, "<followed>", "exec"), {{}})\n')
    (workspace / "methods.py").write_bytes(METHODS)
    (workspace / "script.py").write_bytes(SCRIPT)
    subprocess.run(
        [program, "script.py", "--name", "two words"],
        cwd=workspace,
        env={"PYTHONPATH": str(folder / "hooked"), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    left = {path.name: path.read_bytes() for path in traces.iterdir()}
    return read_trace(left, {"script.py": SCRIPT}, {"methods.py": METHODS}, None, key="sealed")


def test_calls_are_counted_with_their_scalar_arguments(trace: ExecutionTrace) -> None:
    assert (trace.gap, trace.forged) == (None, False)
    calls = {(call.path, call.name): call for call in trace.calls}
    step = calls["methods.py", "Search.step"]
    # The child process counts for itself.
    assert (step.count, step.returned) == (101, 101)
    assert {"width": 0, "alpha": 0.05, "verbose": True} in step.arguments
    assert {"width": 99, "alpha": 0.5} in step.arguments
    assert len(step.arguments) <= 12
    assert calls["methods.py", "Search.__init__"].arguments == [{"depth": 2}]
    assert calls["script.py", "main"].arguments == [{"name": "two words"}]
    assert calls["script.py", "main"].returned == 1
    assert calls["methods.py", "numbers"].returned >= 1


def test_a_call_that_ends_with_an_exception_did_not_return(trace: ExecutionTrace) -> None:
    calls = {call.name: call for call in trace.calls}
    assert (calls["fail"].count, calls["fail"].returned) == (1, 0)
    assert (calls["end_early"].count, calls["end_early"].returned) == (1, 0)


def test_the_start_of_a_program_and_the_files_that_it_writes_are_known(trace: ExecutionTrace) -> None:
    assert [program.words for program in trace.started] == [["script.py", "--name", "two words"]]
    assert trace.written == ["out/results.json"]
    assert "called 1 function of the submission, called 5 functions of the repository" in trace.account
