#!/bin/bash
set -eu
python again.py
