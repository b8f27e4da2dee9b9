"""Hands in a file that no run of this made."""

print("pruned.npz is there already")
