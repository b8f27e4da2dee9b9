#!/bin/bash
set -eu
python tune.py
