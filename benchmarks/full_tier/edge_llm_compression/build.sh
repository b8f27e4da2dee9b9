#!/bin/bash
set -eu
python compress.py
