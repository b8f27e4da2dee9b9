"""Runs inside the sandbox, under the repository's own Python: imports what it is told to, one after another.

Standard input holds JSON: folders to import from, modules, and (module, name) pairs. Each answer is one
line of JSON on what was standard output; what the modules themselves print goes to standard error.
"""

import importlib
import json
import os
import sys


def main() -> None:
    """Answer every question, and leave without waiting for threads that modules began."""
    asked = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.argv = [""]
    sys.path[:0] = asked["folders"]
    for module, name in asked["uses"]:
        answers.write(json.dumps({"begins": module}) + "\n")
        answers.flush()
        problem = None
        try:
            found = importlib.import_module(module)
            if name and not hasattr(found, name):
                try:
                    importlib.import_module(module + "." + name)
                except ModuleNotFoundError as error:
                    if error.name != module + "." + name:
                        raise
                    # The statement itself gives the message that a user would see.
                    exec("from " + module + " import " + name, {})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = type(error).__name__ + ": " + str(error)[:600]
        answers.write(json.dumps({"module": module, "name": name, "problem": problem}) + "\n")
        answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
