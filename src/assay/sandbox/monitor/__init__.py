"""What the harness observes of a session from outside: programs, connections, opened canaries."""
