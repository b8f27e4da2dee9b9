"""What logs contain: attempts, verdicts, data frames, failures, and a comparison."""

import assay

results = assay.read("logs")
print(results)

for attempt in results.attempts:
    unmet = [verdict.item for verdict in attempt.verdicts if verdict.status == "unmet"]
    print(f"{attempt.agent} on {attempt.task}: {attempt.outcome}", unmet)

frame = results.to_pandas()
print(frame.groupby("agent")["passed"].mean())
print(results.verdicts.to_pandas().groupby(["agent", "phase", "status"]).size())

print(results.failures(roles=("calibrator",)))
print(results.compare(agents=["oracle", "idle"]))
