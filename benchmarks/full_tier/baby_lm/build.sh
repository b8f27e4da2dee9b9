#!/bin/bash
set -eu
python train.py
