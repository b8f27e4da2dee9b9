#!/bin/bash
set -eu
python build.py
