#!/bin/bash
# Makes model/config.json, model/model.safetensors and model/tokenizer.json from /inputs, offline. Nothing is given to begin with.
echo 'build.sh makes nothing yet' >&2
exit 1
