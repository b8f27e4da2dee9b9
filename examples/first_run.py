"""A first run: two agents of known quality on a small task, the scorecard, and the report."""

import assay

assay.new("masked", "my-task")
results = assay.run("my-task", agent=["oracle", "idle"])
print(results.scorecard)
print("report:", results.report("report.html"))
