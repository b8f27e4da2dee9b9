#!/bin/bash
# Makes model.safetensors and classes.json from /inputs, offline. Nothing is given to begin with.
echo 'build.sh makes nothing yet' >&2
exit 1
