#!/bin/bash
set -eu
python merge.py
