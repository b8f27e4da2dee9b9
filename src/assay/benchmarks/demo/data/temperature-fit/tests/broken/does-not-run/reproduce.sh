#!/bin/bash
set -eu
cd "$(dirname "$0")"
python run_experiment.py
