"""Observes a session from outside: started programs, connections, opened canaries."""
