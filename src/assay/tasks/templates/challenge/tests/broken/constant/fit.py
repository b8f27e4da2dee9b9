import json

with open("model.json", "w") as out:
    json.dump([3.0], out)
