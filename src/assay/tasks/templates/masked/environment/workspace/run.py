import json
import os

from method import scale

seed = int(os.environ.get("ASSAY_SEED", "2"))
with open("results.json", "w") as out:
    json.dump({"value": scale(float(seed)) + 1.0}, out)
