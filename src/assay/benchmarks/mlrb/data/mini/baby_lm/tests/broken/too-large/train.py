"""Hands in a model with too many parameters, untrained."""

from reading import llama, save

save(llama(width=384, inside=1024, layers=6, heads=6))
