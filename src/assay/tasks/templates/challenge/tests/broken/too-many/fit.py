import json

with open("points.json") as source:
    points = json.load(source)
count = len(points)
mean_x = sum(x for x, _ in points) / count
mean_y = sum(y for _, y in points) / count
slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
with open("model.json", "w") as out:
    json.dump([mean_y - slope * mean_x, slope, 0, 0, 0], out)
