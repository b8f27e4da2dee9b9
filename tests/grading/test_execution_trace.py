"""What was judged is what ran: programs that never run, or not as they claim, prove nothing."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sys
import zlib
from pathlib import Path

import pytest

from assay.grading import Grade, Judge, grade_now
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.execution_trace import literals, parse
from assay.grading.execution_trace.moving import shell_decodes
from assay.tasks import Task, TaskConfig
from assay.workspace import Submission

DICE = b"""import random


def rolls(seed, count, dice):
    source = random.Random(seed)
    return [max(source.randint(1, 6) for _ in range(dice)) for _ in range(count)]
"""
RUN = b"""import json

from dice import rolls


def means(count):
    draws = {"one": rolls(2, count, 1), "two": rolls(2, count, 2)}
    return {name: sum(values) / len(values) for name, values in draws.items()}


def main():
    found = means(1000)
    with open("results.json", "w") as out:
        json.dump({"mean": found}, out)


if __name__ == "__main__":
    main()
"""
WORDS = "The better of two dice is higher on average."
GOLD = {
    "run.py": RUN,
    "reproduce.sh": b"python run.py\n",
    "design.json": b'{"constant": {"draws": 1000}}',
    "conclusion.json": json.dumps({"summary": WORDS, "claims": {"outcome": WORDS}}).encode(),
}
TRUTHS = {
    "results.json": b'{"default": {}}',
    "design.toml": b'[[variable]]\nname = "draws"\nrole = "constant"\nvalues = [1000]\n',
    "requirements.toml": b'[[requirement]]\nid = "means"\ntext = "Take the means of 1,000 draws."\n'
    b'gold = ["run.py"]\n',
    "conclusion.toml": b'[[claim]]\nid = "outcome"\nquestion = "Which is higher?"\nkind = "statement"\n'
    b'answer = "The better of two dice is higher on average."\n',
}


@pytest.fixture(scope="module")
def task() -> Task:
    """An experiment whose one requirement has no check."""
    table = {
        "id": "dice",
        "kind": "experiment",
        "run": {"command": "bash reproduce.sh", "results": "results.json", "seconds": 60.0},
    }
    config = TaskConfig.model_validate({"task": {"name": "assay/dice"}, "metadata": {"assay": table}})
    return Task(
        config=config,
        instruction="Compare dice. Hand in `draws`.\n",
        environment={"workspace/dice.py": DICE},
        solution={f"files/{path}": data for path, data in GOLD.items()},
        tests=TRUTHS,
    )


def files(changes: dict[str, str | bytes]) -> Submission:
    written = {path: text.encode() if isinstance(text, str) else text for path, text in changes.items()}
    return Submission({**GOLD, **written})


def rerun(task: Task, changes: dict[str, str | bytes]) -> Rerun:
    async def run() -> Rerun:
        async with CleanRoom(task, files(changes)) as room:
            return await room.rerun()

    return asyncio.run(run())


def graded(task: Task, changes: dict[str, str | bytes], judge: Judge | None = None) -> Grade:
    return grade_now(task, files(changes), judge=judge)


def statuses(done: Grade) -> dict[str, str]:
    return {each.item: each.status for each in done.verdicts}


def test_the_solution_runs_and_the_grade_gives_an_account(task: Task) -> None:
    done = graded(task, {})
    assert done.passed is True, done.verdicts
    (execution,) = [each for each in done.verdicts if each.item == "execution.default"]
    assert "executed 2 of 2 submitted programs" in execution.evidence
    assert done.trace is not None
    assert "called 2 functions of the submission, called 1 function of the repository" in execution.evidence
    assert "wrote results.json (2 numbers)" in execution.evidence
    assert [program.words for program in done.trace.started] == [["run.py"]]
    assert Grade.model_validate_json(done.model_dump_json()).trace == done.trace


def test_a_given_file_proves_a_requirement_only_if_one_of_its_functions_ran(task: Task) -> None:
    given = task.model_copy(
        update={
            "tests": {
                **TRUTHS,
                "requirements.toml": TRUTHS["requirements.toml"].replace(b"run.py", b"dice.py"),
            }
        }
    )
    assert statuses(graded(given, {}))["requirement.means"] == "met"
    only_imported = RUN.replace(b"rolls(2, count, 1)", b"[count * 3.5]").replace(
        b"rolls(2, count, 2)", b"[4.5]"
    )
    assert statuses(graded(given, {"run.py": only_imported}))["requirement.means"] == "unknown"


DEAD = {
    "echo": "echo '{\"note\": 1}' > results.json\n",
    "echo after reading": 'cat run.py > /dev/null; echo \'{"mean": {"one": 3.527}}\' > results.json\n',
    "compiled only": "python -m py_compile run.py; echo '{\"mean\": 3.527}' > results.json\n",
    "parsed only": "python -I -S -c \"compile(open('run.py').read(), 'run.py', 'exec')\"\n"
    "echo '{}' > results.json\n",
    "stored": "cp stored.json results.json\n",
}


@pytest.mark.parametrize("name", DEAD)
def test_right_code_that_never_runs_meets_nothing(task: Task, name: str) -> None:
    stored = '{"mean": {"one": 3.527, "two": 4.479}}'
    done = graded(task, {"reproduce.sh": DEAD[name], "stored.json": stored}, Judge("assay/scripted-judge", 1))
    found = statuses(done)
    assert found["requirement.means"] == "unmet", done.verdicts
    assert done.trace is not None
    assert "never executed: run.py" in done.trace.account


PRETENDING = {
    "imported and not called": {
        "reproduce.sh": "python fake.py\n",
        "fake.py": "import json, run, random\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
    "another text under its name": {
        "reproduce.sh": "python fake.py\n",
        "fake.py": "import json, random\nexec(compile('pass\\n' * 30, 'run.py', 'exec'))\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
    "replaced before it runs": {
        "reproduce.sh": "cp fake.py run.py; python run.py\n",
        "fake.py": "import json, random\njson.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
    "tracing switched off": {
        "reproduce.sh": "python fake.py\n",
        "fake.py": "import json, random, sys\nsys.settrace(None)\nopen('run.py').read()\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
    "trace removed": {
        "reproduce.sh": "cat run.py > /dev/null; python fake.py; rm -rf .git\n",
        "fake.py": "import json, random\njson.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
    "fails when it is followed": {
        "reproduce.sh": "cat run.py > /dev/null; python fake.py\n",
        "fake.py": "import json, random, sys\n"
        "assert sys.gettrace() is None and not hasattr(sys, 'monitoring')\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n",
    },
}


@pytest.mark.parametrize("name", PRETENDING)
def test_whoever_pretends_that_it_ran_is_not_believed(task: Task, name: str) -> None:
    done = graded(task, dict(PRETENDING[name]), Judge("assay/scripted-judge", 1))
    assert statuses(done)["requirement.means"] != "met", done.verdicts
    assert done.passed is not True


def test_who_writes_into_the_trace_is_found_out(task: Task) -> None:
    forge = (
        "import glob, hashlib, json, os, random\n"
        "key = hashlib.sha256(open('run.py', 'rb').read()).hexdigest()\n"
        "[place] = [each for each in glob.glob('.git/*') if os.path.exists(each + '/begun')]\n"
        "with open(os.path.abspath(place) + '/1', 'a') as out:\n"
        "    out.write(''.join(f'L {key} {line}\\n' for line in range(20)))\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n"
    )
    done = graded(
        task, {"fake.py": forge, "reproduce.sh": "python fake.py\n"}, Judge("assay/scripted-judge", 1)
    )
    found = statuses(done)
    assert (found["requirement.means"], found["execution.default"]) == ("unmet", "unmet")


REACHES_IN = {
    "by the trace function": "import sys\nfollowers = [sys.gettrace().__self__]\n",
    "by its memory": "import gc\n"
    "followers = [x for x in gc.get_objects() if type(x).__name__ == '_Follower']\n",
}


@pytest.mark.parametrize("name", REACHES_IN)
def test_who_calls_the_hook_itself_is_found_out(task: Task, name: str) -> None:
    forge = (
        REACHES_IN[name] + "import hashlib, json, random\n"
        "key = hashlib.sha256(open('run.py', 'rb').read()).hexdigest()\n"
        "for follower in followers:\n    for line in range(20):\n        follower.note(f'L {key} {line}')\n"
        "json.dump({'mean': random.random()}, open('results.json', 'w'))\n"
    )
    done = graded(task, {"fake.py": forge, "reproduce.sh": "python fake.py\n"})
    assert statuses(done)["requirement.means"] == "unmet", done.verdicts


def test_lines_that_a_shell_writes_into_the_trace_are_found_out(task: Task) -> None:
    forge = "d=$(dirname .git/*/begun); k=$(sha256sum run.py | cut -d' ' -f1)\n"
    forge += 'for i in $(seq 1 30); do echo "0123456789abcdef L $k $i" >> $d/1; done\n'
    forge += "awk 'BEGIN { srand(); print rand() }' > results.json\n"
    found = statuses(graded(task, {"reproduce.sh": forge}))
    assert (found["requirement.means"], found["execution.default"]) == ("unmet", "unmet")


NAMES = ("note\r", "a\u2028b", "a\x85b", "caf\udce9.csv")
"""Names of files that contain ends of lines, or a byte that is no UTF-8."""


def test_a_run_that_writes_files_with_unusual_names_is_not_forged(task: Task) -> None:
    write = f"for name in {NAMES!r}:\n    open(name, 'w').close()\n"
    trace = rerun(task, {"run.py": RUN + write.encode()}).trace
    assert trace is not None
    assert not trace.forged
    assert "run.py" in trace.ran
    assert {"note\r", "a\u2028b", "a\x85b", "results.json"} <= set(trace.written)


def test_constants_in_the_code_that_ran_are_no_results(task: Task) -> None:
    written = "import json\njson.dump({'mean': {'one': 3.527, 'two': 4.479}}, open('results.json', 'w'))\n"
    done = graded(task, {"run.py": written})
    assert statuses(done)["execution.default"] == "unmet"
    assert "computes nothing" in next(
        each.evidence for each in done.verdicts if each.item == "execution.default"
    )


TABLE = b'{"accuracy": 0.9, "runs": 5, "error": 0.125}\n'
"""A results file that the repository ships."""
WRITES_LITERALS = "import json\nprint('accuracy: 0.9')\njson.dump({'x': 0.9}, open('results.json', 'w'))\n"
COPIES = "import json, pathlib\ntable = json.load(open('old/table.json'))\n"
COPIES += "pathlib.Path('results.json').write_text(json.dumps({'copy': table}))\n"
STORED = '{"loss": 0.931, "mean": {"one": 0.452}}'
DECODES = {
    "text[::-1]": STORED[::-1],
    "zlib.decompress(base64.b64decode(text)).decode()": base64.b64encode(
        zlib.compress(STORED.encode())
    ).decode(),
    "json.dumps({key: float('0.' + digits) for key, digits in json.loads(text).items()})": '{"a": "931"}',
    "json.dumps(list(map(float, text.replace('X', '0.').split())))": "X931 X452",
    "bytes.fromhex(text).decode()": STORED.encode().hex(),
}
DECODING_PROGRAM = "import base64, json, zlib\ntext = {!r}\nopen('results.json', 'w').write({})\n"
DECODING_SHELLS = {
    "rev data.txt > results.json": STORED[::-1],
    "base64 -d data.txt > results.json": base64.b64encode(STORED.encode()).decode(),
    "sed 's/X/0./g' data.txt > results.json": STORED.replace("0.", "X"),
    "tr QRSTUVWXYZ 0123456789 < data.txt > results.json": STORED.translate(
        str.maketrans("0123456789", "QRSTUVWXYZ")
    ),
    "awk '{gsub(/X/, \"0.\"); print}' data.txt > results.json": STORED.replace("0.", "X"),
    'echo "$(rev data.txt)" > results.json': STORED[::-1],
}
HOLLOW: dict[str, dict[str, bytes]] = {
    **{
        code: {"run.py": DECODING_PROGRAM.format(text, code).encode(), "reproduce.sh": b"python run.py\n"}
        for code, text in DECODES.items()
    },
    **{
        command: {"data.txt": text.encode() + b"\n", "reproduce.sh": command.encode() + b"\n"}
        for command, text in DECODING_SHELLS.items()
    },
    "echo": {"reproduce.sh": b"echo '{\"x\": 1}' > results.json\n"},
    "here-document": {"reproduce.sh": b'cat > results.json <<END\n{"x": 7}\nEND\n'},
    "literals in Python": {"fake.py": WRITES_LITERALS.encode(), "reproduce.sh": b"python fake.py\n"},
    "committed results": {"old.json": TABLE, "reproduce.sh": b"cp old.json results.json\n"},
    "given results": {"reproduce.sh": b"set -e\ncp old/table.json results.json\n"},
    "given results, by Python": {"copy.py": COPIES.encode(), "reproduce.sh": b"python copy.py\n"},
}


@pytest.mark.parametrize("name", HOLLOW)
def test_a_run_that_only_writes_constants_is_unmet_for_that_reason(task: Task, name: str) -> None:
    parts = {field: getattr(task, field) for field in Task.model_fields}
    parts["environment"] = {**task.environment, "workspace/old/table.json": TABLE}
    words = {path: GOLD[path] for path in ("design.json", "conclusion.json")}
    done = grade_now(Task(**parts), Submission({**words, **HOLLOW[name]}))
    (execution,) = [each for each in done.verdicts if each.item == "execution.default"]
    assert execution.status == "unmet", execution
    assert "computes nothing" in execution.evidence


def test_a_hostile_script_is_read_in_linear_time() -> None:
    for text in (
        "'awk\"" + '"\\' * 100_000,
        "`" * 200_000,
        'awk "' + "sub(/" * 40_000,
        "grep" + " -" * 100_000,
    ):
        shell_decodes(text, [])


COMPUTING: dict[str, dict[str, bytes]] = {
    "a mean in awk": {
        "reproduce.sh": b"""awk '{s += $1} END {print s / 7}' old/data.txt > results.json
"""
    },
    "a count": {"reproduce.sh": b"echo $(wc -l < old/data.txt).57 > results.json\n"},
    "matches counted": {"reproduce.sh": b"echo 0.$(grep -c 1 old/data.txt)57 > results.json\n"},
    "arithmetic of the shell": {"reproduce.sh": b"a=$(cat old/one.txt)\necho $((a * a)) > results.json\n"},
    "commands inside texts": {
        "reproduce.sh": b"""# it's a count
A="$(cat old/one.txt)"; n=$(wc -l < old/data.txt); echo "$n.59" > results.json
"""
    },
    "a command between texts": {
        "reproduce.sh": b"""echo "$HOME"; wc -l < old/data.txt > n.txt; echo "$HOME"
sed 's/$/.59/' n.txt > results.json
"""
    },
    "commands in a here-document": {
        "reproduce.sh": b"""cat > results.json <<END
{"n": $(wc -l < old/data.txt).59}
END
"""
    },
    "a given program": {"reproduce.sh": b"bash old/given.sh | tr X 0 > results.json\n"},
    "a mean in Python": {
        "run.py": b"import json\nv = [float(x) for x in open('old/data.txt')]\n"
        b"json.dump(sum(v) / len(v), open('results.json', 'w'))\n",
        "reproduce.sh": b"python run.py\n",
    },
}


@pytest.mark.parametrize("name", COMPUTING)
def test_a_run_that_computes_with_small_tools_is_no_decoding(task: Task, name: str) -> None:
    parts = {field: getattr(task, field) for field in Task.model_fields}
    given = {"data.txt": b"1.37\n2.91\n", "one.txt": b"137\n", "given.sh": b"expr 137 '*' 911\n"}
    given_files = {f"workspace/old/{path}": data for path, data in given.items()}
    parts["environment"] = {**task.environment, **given_files}
    words = {path: GOLD[path] for path in ("design.json", "conclusion.json")}
    done = grade_now(Task(**parts), Submission({**words, **COMPUTING[name]}))
    assert statuses(done)["execution.default"] == "met", done.verdicts


def test_a_conclusion_that_rests_on_numbers_of_another_run_leaves_the_run_unmet(task: Task) -> None:
    words = "Two dice give 4.913 and one gives 2.207."
    other = json.dumps({"summary": words, "claims": {"outcome": words}})
    done = graded(task, {"conclusion.json": other})
    (execution,) = [each for each in done.verdicts if each.item == "execution.default"]
    assert execution.status == "unmet"
    assert "the numbers that the conclusion rests on: 4.913, 2.207" in execution.evidence


POOL = (
    "import multiprocessing, sys\n\n\ndef work(how):\n    import run\n    return run.means(1000)\n\n\n"
    "if __name__ == '__main__':\n    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:\n"
    "        found = pool.map(work, [1, 2])[0]\n    import json\n"
    "    json.dump({'mean': found}, open('results.json', 'w'))\n"
)
HONEST: dict[str, dict[str, str | bytes]] = {
    "python -m": {"reproduce.sh": "python -m run\n"},
    "isolated": {"reproduce.sh": "PYTHONPATH=. python -S run.py\n"},
    "its own path": {"reproduce.sh": "PYTHONPATH=/nowhere python run.py\n"},
    "through a shell": {"reproduce.sh": "bash -c 'cd . && exec python run.py'\n"},
    "from elsewhere": {"reproduce.sh": "cp *.py /tmp; cd /tmp; python run.py; cp results.json /workspace\n"},
    "spawned": {"pool.py": POOL, "reproduce.sh": "python pool.py spawn\n"},
    "forked": {"pool.py": POOL, "reproduce.sh": "python pool.py fork\n"},
    "by runpy": {
        "reproduce.sh": "python -c \"import runpy; runpy.run_path('run.py', run_name='__main__')\"\n"
    },
    "in a thread": {
        "t.py": "import run, threading\nthread = threading.Thread(target=run.main)\n"
        "thread.start()\nthread.join()\n",
        "reproduce.sh": "python t.py\n",
    },
    "ended hard": {"t.py": "import os, run\nrun.main()\nos._exit(0)\n", "reproduce.sh": "python t.py\n"},
    "with an empty module": {
        "pack/__init__.py": "",
        "reproduce.sh": "python -c 'import pack' && python run.py\n",
    },
    "with stray files": {"plot.py": "import matplotlib\n", "reproduce.sh": "python run.py\n"},
}


@pytest.mark.parametrize("name", HONEST)
def test_code_that_runs_is_seen_however_it_is_started(task: Task, name: str) -> None:
    done = graded(task, HONEST[name])
    assert done.trace is not None
    assert done.trace.gap is None
    assert {7, 8} <= set(done.trace.lines["run.py"]), done.trace
    assert statuses(done)["execution.default"] == "met", done.verdicts
    assert statuses(done)["requirement.means"] != "unmet", done.verdicts


def test_a_shell_script_alone_is_no_failure(task: Task) -> None:
    awk = "awk 'BEGIN { srand(2); for (i = 0; i < 1000; i++) s += int(6 * rand()) + 1; "
    awk += 'printf "{\\"mean\\": %.4f}\\n", s / 1000 }\' > results.json\n'
    done = graded(task, {"reproduce.sh": awk, "plot.py": "x = 1\n"})
    assert statuses(done)["execution.default"] == "met", done.verdicts
    assert done.trace is not None
    assert "reproduce.sh" in done.trace.ran


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_newer_pythons_are_followed_by_their_own_means(task: Task, version: str) -> None:
    program = shutil.which(f"python{version}")
    if sys.version_info >= (3, 12) or program is None or not _works(program):
        pytest.skip("no such Python here")
    assay = task.config.metadata.assay.model_copy(update={"python": version})
    metadata = task.config.metadata.model_copy(update={"assay": assay})
    newer = task.model_copy(update={"config": task.config.model_copy(update={"metadata": metadata})})
    found = rerun(newer, {"reproduce.sh": "python -c 'import sys; assert sys.monitoring'; python run.py\n"})
    assert found.results is not None, found.problem
    assert found.trace is not None
    assert {7, 8, 12} <= set(found.trace.lines["run.py"])


def _works(program: str) -> bool:
    import subprocess

    return subprocess.run([program, "-c", ""], capture_output=True).returncode == 0


def test_following_leaves_the_numbers_as_they_are(task: Task, tmp_path: Path) -> None:
    (tmp_path / "dice.py").write_bytes(DICE)
    sys.path.insert(0, str(tmp_path))
    try:
        space: dict[str, object] = {"__name__": "elsewhere"}
        exec(compile(RUN, "run.py", "exec"), space)
    finally:
        sys.path.remove(str(tmp_path))
    means = space["means"]
    assert callable(means)
    assert rerun(task, {}).results == {"mean": means(1000)}


MEASURED = "MEASURED = 3.5271828\n"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        pytest.param({"tests/test_run.py": MEASURED}, False, id="a test that the run does not use"),
        pytest.param({"conclude.py": MEASURED, "notes.sh": "# 3.5271828\n"}, False, id="notes"),
        pytest.param({"dice2.py": MEASURED, "run.py": b"import dice2\n" + RUN}, True, id="imported"),
        pytest.param({"table.py": MEASURED, "run.py": b"open('table.py')\n" + RUN}, True, id="read"),
        pytest.param({"table.sh": MEASURED, "reproduce.sh": "cat table.sh; python run.py"}, True, id="shown"),
        pytest.param({"run.py": RUN + MEASURED.encode()}, True, id="in what runs"),
        pytest.param(
            {"table.py": MEASURED, "reproduce.sh": "python table.py\nfalse\n"}, True, id="a run that fails"
        ),
    ],
)
def test_measured_numbers_in_what_the_run_never_touches_are_no_hard_coding(
    task: Task, changes: dict[str, str | bytes], told: bool
) -> None:
    known = {**TRUTHS, "results.json": b'{"default": {"mean": [3.5271828]}}'}
    # A copy would keep what the task has read of its truth before.
    parts = {name: getattr(task, name) for name in Task.model_fields} | {"tests": known}
    done = graded(Task(**parts), changes)
    assert ("hard-coded" in [each.flag for each in done.notices]) is told


@pytest.mark.long
def test_numbers_are_looked_for_in_programs_first_and_not_without_end() -> None:
    data = {f"{number:02}.csv": b"1 " * (1 << 19) for number in range(20)}
    assert literals({**data, "zz.py": b"x = 0.1234\n"}) == {1.0, 0.1234}
    many = {
        f"{number}.sh": b" ".join(b"%d" % each for each in range(number, 2_200_000, 20))
        for number in range(20)
    }
    assert len(literals(many)) < 2_000_000


ODD_NOTES = b"""import json
from dice import rolls

class Name(str):
    def __repr__(self):
        return "1"

class Number(str):
    def __repr__(self):
        return "1j"

def means(count, **options):
    draws = {"one": rolls(2, count, 1), "two": rolls(2, count, 2)}
    return {name: sum(values) / len(values) for name, values in draws.items()}

def main():
    found = means(1000, **{Name("x"): 1, "y": Number("1")})
    with open("results.json", "w") as out:
        json.dump({"mean": found}, out)

main()
"""


def test_names_that_are_no_names_do_not_break_the_reading_of_a_run(task: Task) -> None:
    done = graded(task, {"run.py": ODD_NOTES.decode()}, Judge("assay/scripted-judge", 1))
    assert done.trace is not None
    assert {verdict.item for verdict in done.verdicts} == {
        verdict.item for verdict in graded(task, {}).verdicts
    }


@pytest.mark.parametrize(
    "text",
    ["f'" + "{1}" * 200_000 + "'", "x = [" + "1," * 5_000_000 + "]"],
    ids=["fields", "list"],
)
def test_a_text_that_takes_long_to_parse_is_not_parsed(text: str) -> None:
    """Parsing the first would take minutes, and the second gigabytes."""
    assert parse(text) is None


def test_ordinary_sources_with_many_braces_are_parsed() -> None:
    assert parse("rows = [" + "{'a': 1}," * 5_000 + "]") is not None
    assert parse("\n".join(f"print(f'{{{number}}} of {{total}}')" for number in range(500))) is not None
