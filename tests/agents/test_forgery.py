"""Where cheats put their code: into a file that an agent may change."""

from __future__ import annotations

from assay.agents.forgery import carrier, insert_code
from assay.benchmarks.frontier import DATA
from assay.tasks import load_task


def test_a_file_that_is_put_back_carries_no_cheat() -> None:
    assert carrier(load_task(DATA / "record-stream")) == "solve.py"


def test_code_comes_before_the_first_statement_and_after_what_python_wants_first() -> None:
    source = '"""What it is."""\n\nfrom __future__ import annotations\n\nimport os\n\nprint(os.sep)\n'
    changed = insert_code("print(1)", source)
    assert changed.index("__future__") < changed.index("print(1)") < changed.index("import os")
    compile(changed, "changed.py", "exec")
