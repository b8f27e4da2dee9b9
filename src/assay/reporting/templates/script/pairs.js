  /* What stands behind a difference: the tasks that both agents tried, with both outcomes */
  function side(task, agent) {
    const places = cellOf(task, agent) ?? [], scored = places.filter((place) => outcomeOf(place) !== "unknown");
    const passed = scored.filter((place) => outcomeOf(place) === "passed").length;
    const scores = scored.map((place) => value("normalised", place)).filter((score) => score !== null);
    const score = scores.length ? scores.reduce((sum, one) => sum + one, 0) / scores.length : null;
    return { made: places.length, scored: scored.length, passed, score, share: scored.length ? passed / scored.length : null };
  }
  function pairLink(task, agent, found) {
    const [word, said] = cellText(cellOf(task, agent));
    const link = element("a", { class: `outcome ${word}`, href: `#${tasks[task].anchor}/${agents[agent].anchor}`, "aria-label": `${agents[agent].label}: ${said}` }, ...outcome(word, found.made > 1 ? said : word));
    return element("td", {}, link, found.score === null ? null : element("span", { class: "model" }, `score ${found.score.toFixed(3)}`));
  }

  function pairRow({ task, ones, others, gain }, first, second) {
    const said = gain === null ? "unscored" : gain === 0 ? "equal" : gain > 0 ? "second" : "first";
    return element("tr", {}, element("th", { scope: "row" }, tasks[task].title, element("span", { class: "model" }, element("code", {}, tasks[task].id))),
      pairLink(task, first, ones), pairLink(task, second, others), element("td", { class: gain ? "" : "none" }, said));
  }

  function showPair(query) {
    const first = agentPlace.get(query.get("first")), second = agentPlace.get(query.get("second"));
    if (first === undefined || second === undefined) return;
    const rows = [];
    tasks.forEach((task, place) => {
      const wanted = ["suite", "kind"].every((name) => !query.get(name) || task[name] === query.get(name)) && (!query.get("n") || task.n === Number(query.get("n")));
      if (!wanted || !cellOf(place, first) || !cellOf(place, second)) return;
      const ones = side(place, first), others = side(place, second);
      rows.push({ task: place, ones, others, gain: ones.scored && others.scored ? others.share - ones.share : null });
    });
    const apart = (row) => (row.gain === null ? -1 : Math.abs(row.gain));
    rows.sort((one, other) => apart(other) - apart(one) || one.task - other.task);
    const paired = rows.filter((row) => row.gain !== null), better = (sign) => paired.filter((row) => sign * row.gain > 0).length;
    const chosen = (place) => (agents[place].model === "none" ? agents[place].name : `${agents[place].name}@${agents[place].model}`);
    const by = query.get("by") === "figures" ? data.commands.figures : `${data.commands.compare} --agents ${quoted(`${chosen(first)},${chosen(second)}`)}`;
    const body = element("tbody");
    const drawn = gradual(body, rows.length, (at) => pairRow(rows[at], first, second), 60);
    const heads = ["Task", "First", "Second", "Better"].map((name) => element("th", { scope: "col" }, name));
    frame("Behind this difference", [element("p", { class: "by" }, "first: ", element("b", {}, agents[first].label), ", second: ", element("b", {}, agents[second].label),
      ...["suite", "kind", "n"].filter((name) => query.get(name)).map((name) => ` · ${name === "n" ? `n = ${query.get(name)}` : query.get(name)}`))],
    element("p", {}, `${counted(paired.length, "task")} with a scored attempt of both: the first passes ${better(-1)} of them more often, the second ${better(1)}, ${paired.length - better(1) - better(-1)} equally often. McNemar’s test asks whether chance alone would split the ${better(1) + better(-1)} this way.`),
    mainPart("The command that computes it again", command(by, "The command that computes it again")),
    mainPart("The tasks behind it", element("table", { class: "plain pairs" }, element("caption", { class: "visually-hidden" }, "Outcomes of both agents, task by task"), element("thead", {}, element("tr", {}, ...heads)), body), drawn.more));
  }

  /* A published number opens its citation. */
  function showCited(query) {
    const one = cited[Number(query.get("at"))];
    if (!one) return;
    const names = { autoexperiment: "AutoExperiment", expbench: "EXP-Bench", mlrb: "ML Research Benchmark" };
    const said = one.unit === "dollars" ? `$${one.value}` : `${Number((one.value * 100).toFixed(2))}%`;
    const rows = [["Measure", one.measure], ["Value", said], ["Over", one.denominator === null ? "the paper does not say" : `${one.denominator}`], ["Agent", one.agent], ["Model", one.model], ["On", one.setting || "the whole benchmark"], ["Source", one.source]];
    frame("A published number", [element("p", { class: "by" }, `${names[one.benchmark] ?? one.benchmark}: published, not measured here`)],
      element("dl", { class: "particulars cite" }, ...rows.map(([name, words]) => element("div", {}, element("dt", {}, name), element("dd", {}, words)))),
      element("p", { class: "model" }, "Its authors measured it, on their own tasks, with their own grading; Assay did not. Assay ships the table that has it, and this command prints it:"),
      command(data.commands.figures, "Print the published numbers"));
  }

