#!/bin/bash
set -eu
cd "$(dirname "$0")"
python -m scaling.run
