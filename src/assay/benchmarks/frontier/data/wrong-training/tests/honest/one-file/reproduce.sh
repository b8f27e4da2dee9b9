#!/bin/bash
set -eu
python once.py
