  /* The data: columns, texts once each, deflated */
  async function unpack() {
    const packed = atob(document.getElementById("data").textContent.trim());
    const bytes = new Uint8Array(packed.length);
    for (let place = 0; place < packed.length; place += 1) bytes[place] = packed.charCodeAt(place);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }
  const data = await unpack();
  const columns = data.attempts;
  const size = columns.epoch.length;
  const value = (name, place) => (columns[name] ? columns[name][place] : null);
  const text = (name, place) => { const at = value(name, place); return at === null ? null : data.texts[at]; };
  const taskOf = (place) => value("task", place) ?? 0;
  const agentOf = (place) => value("agent", place) ?? 0;
  const outcomes = ["passed", "failed", "unknown"];
  const outcomeOf = (place) => outcomes[value("outcome", place) ?? 0];
  const marks = { met: "✓", unmet: "✗", unknown: "?", passed: "✓", failed: "✗", mixed: "±" };

  const named = (names, row) => Object.fromEntries(names.map((name, place) => [name, row[place]]));
  const tasks = data.tasks.map((row) => named(["anchor", "id", "suite", "title", "kind", "n", "certified", "digest", "labels", "asked"], row));
  const agents = data.agents.map((row) => named(["anchor", "label", "name", "model", "role", "description"], row));
  const types = data.types.map((row) => named(["id", "phase", "title", "by"], row));
  const cited = data.cited.map((row) => named(["benchmark", "agent", "model", "measure", "setting", "value", "unit", "denominator", "source"], row));
  const taskPlace = new Map(tasks.map((task, place) => [task.anchor, place]));
  const agentPlace = new Map(agents.map((agent, place) => [agent.anchor, place]));

  /* Attempts come sorted by task, agent and number: a cell is a stretch of them. */
  const cells = new Map();
  for (let place = 0; place < size; place += 1) {
    const key = taskOf(place) * agents.length + agentOf(place);
    const known = cells.get(key);
    if (known) known.push(place); else cells.set(key, [place]);
  }
  const cellOf = (task, agent) => cells.get(task * agents.length + agent);

  function verdictsOf(place) {
    const flat = value("verdicts", place) ?? [], found = [];
    for (let at = 0; at < flat.length; at += 3) {
      const [item, status, owner] = data.heads[flat[at]];
      found.push({ item, status, owner, evidence: data.texts[flat[at + 1]], insight: insightAt(flat[at + 2]) });
    }
    return found;
  }
  function insightAt(at) {
    const row = data.insights[at];
    return row && { type: row[0] === null ? null : types[row[0]], by: row[1], fault: row[2], because: row[3] };
  }

