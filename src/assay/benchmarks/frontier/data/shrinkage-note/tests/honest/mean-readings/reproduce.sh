#!/bin/bash
set -eu
python average.py
