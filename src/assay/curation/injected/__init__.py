"""Programs that run beside a repository's own code: standard library only, Python 3.6 and later."""
