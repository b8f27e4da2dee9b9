"""A sandbox that lives as long as an attempt and runs its commands."""
