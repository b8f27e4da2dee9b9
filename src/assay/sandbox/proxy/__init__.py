"""The forward proxy that lets a session reach the hosts its task allows."""
