"""Runs inside the sandbox, under the repository's own Python: imports the requested modules one by one.

Standard input is JSON: folders to import from, and (module, name) pairs. Each answer is one line of JSON
on the original standard output; the modules' own output goes to standard error.
"""

import importlib
import json
import os
import sys


def main() -> None:
    """Try every import, and exit without waiting for threads of the modules."""
    request = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.argv = [""]
    sys.path[:0] = request["folders"]
    for module, name in request["uses"]:
        answers.write(json.dumps({"begins": module}) + "\n")
        answers.flush()
        problem = None
        try:
            imported = importlib.import_module(module)
            if name and not hasattr(imported, name):
                try:
                    importlib.import_module(module + "." + name)
                except ModuleNotFoundError as error:
                    if error.name != module + "." + name:
                        raise
                    # The statement itself produces the message that a user would see.
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
