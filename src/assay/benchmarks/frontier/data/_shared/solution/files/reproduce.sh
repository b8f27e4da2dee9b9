#!/bin/bash
set -eu
cd "$(dirname "$0")"
python experiment.py
