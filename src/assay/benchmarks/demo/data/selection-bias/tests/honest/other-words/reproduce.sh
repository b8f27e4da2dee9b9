#!/bin/bash
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH="$here" python "$here/study/main.py" "$here"
