#!/usr/bin/env bash
cd -- "$(dirname -- "$0")" && python bias_variance.py --out .
