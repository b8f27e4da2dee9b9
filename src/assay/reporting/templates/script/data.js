  /* The data: columns, texts once each, deflated */
  async function unpack(encoded) {
    const packed = atob(encoded);
    const bytes = new Uint8Array(packed.length);
    for (let place = 0; place < packed.length; place += 1) bytes[place] = packed.charCodeAt(place);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }
  const data = await unpack(document.getElementById("data").textContent.trim());
  const columns = data.attempts;
  const size = columns.epoch.length;

  /* In a very large report, details of attempts are in script files beside the page, loaded when they are needed. */
  const parts = new Map(), loads = new Map();
  const partNumber = (place) => Math.floor(place / data.parts.size);
  const partOf = (place) => (data.parts ? parts.get(partNumber(place)) : undefined);
  const isLoaded = (places) => !data.parts || places.every((place) => parts.has(partNumber(place)));
  window.assayPart = async (mark, number, packed) => {
    const load = loads.get(number);
    if (!load) return;
    if (mark !== data.parts.mark) { load.fail("belongs to another report"); return; }
    const arrived = await unpack(packed);
    for (const name of ["asked", "diffs", "transcripts"]) Object.assign(data[name], arrived[name]);
    parts.set(number, arrived);
    load.done();
  };
  function loadPart(number) {
    const known = loads.get(number);
    if (known) return known.promise;
    const load = {}, file = `${data.parts.folder}/${number}.js`;
    load.promise = new Promise((done, fail) => {
      load.done = done;
      load.fail = (why) => { loads.delete(number); fail(new Error(`${file} ${why}`)); };
    });
    loads.set(number, load);
    const script = element("script", { src: file });
    script.addEventListener("error", () => load.fail("is not there"));
    document.head.append(script);
    return load.promise;
  }
  const loadDetails = (places) => Promise.all([...new Set(places.map(partNumber))].map(loadPart));

  const value = (name, place) => {
    if (columns[name]) return columns[name][place];
    const part = partOf(place);
    return part?.attempts[name]?.[place - part.first] ?? null;
  };
  const textsOf = (name, place) => (columns[name] ? data.texts : partOf(place)?.texts ?? data.texts);
  const text = (name, place) => { const at = value(name, place); return at === null ? null : textsOf(name, place)[at]; };
  const taskOf = (place) => value("task", place) ?? 0;
  const agentOf = (place) => value("agent", place) ?? 0;
  const outcomes = ["passed", "failed", "unknown"];
  const outcomeOf = (place) => outcomes[value("outcome", place) ?? 0];
  const marks = { met: "✓", unmet: "✗", unknown: "?", passed: "✓", failed: "✗", mixed: "±" };

  const named = (names, row) => Object.fromEntries(names.map((name, place) => [name, row[place]]));
  const tasks = data.tasks.map((row) => named(["anchor", "id", "suite", "title", "kind", "n", "certified", "digest", "labels"], row));
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
    const shape = data.shapes[value("shape", place) ?? 0] ?? [], found = [];
    const evidence = value("evidence", place), texts = textsOf("evidence", place);
    for (let at = 0; at < shape.length; at += 2) {
      const [item, status, owner] = data.heads[shape[at]];
      found.push({ item, status, owner, evidence: evidence ? texts[evidence[at / 2]] : "", insight: insightAt(shape[at + 1]) });
    }
    return found;
  }
  function insightAt(at) {
    const row = data.insights[at];
    return row && { type: row[0] === null ? null : types[row[0]], by: row[1], fault: row[2], because: row[3] };
  }

