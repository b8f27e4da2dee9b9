"""Programs that run in a sandbox, under a task's own Python (3.6 or newer); Assay imports none of them."""
