  /* What stands behind a number: the attempts that it counts, and the command that re-makes it */
  const inPhases = (verdicts, letters) => {
    const phases = new Set(letters.split("·").flatMap((letter) => data.steps[letter] ?? []));
    const statuses = verdicts.filter((one) => phases.has(one.item.split(".")[0])).map((one) => one.status);
    return verdicts.length && !statuses.includes("unmet") && !statuses.includes("unknown");
  };
  const tests = {
    suite: (place, wanted) => tasks[taskOf(place)].suite === wanted,
    kind: (place, wanted) => tasks[taskOf(place)].kind === wanted,
    n: (place, wanted) => tasks[taskOf(place)].n === Number(wanted),
    agent: (place, wanted) => agents[agentOf(place)].anchor === wanted,
    name: (place, wanted) => agents[agentOf(place)].name === wanted,
    role: (place, wanted) => wanted.split(" ").includes(agents[agentOf(place)].role),
    outcome: (place, wanted) => outcomeOf(place) === wanted,
    caught: (place, wanted) => text("caught", place) === wanted,
    rung: (place, wanted) => inPhases(verdictsOf(place), wanted),
    certified: (place, wanted) => String(tasks[taskOf(place)].certified) === wanted,
    runs: (place, wanted) => {
      const runs = value("runs", place);
      if (!runs || runs[0] === 0) return false;
      return wanted === "ran" || (wanted === "crashed" ? runs[1] === true : runs[2] === true);
    },
    type: (place, wanted) => verdictsOf(place).some((one) => one.insight?.type?.id === wanted) || insightAt(value("lost", place) ?? 0)?.type?.id === wanted,
  };
  const spoken = {
    agent: (wanted) => agents[agentPlace.get(wanted)]?.label ?? wanted, n: (wanted) => `n = ${wanted}`,
    type: (wanted) => types.find((one) => one.id === wanted)?.title ?? wanted, role: (wanted) => wanted.replaceAll(" ", ", "),
    rung: (wanted) => `right in ${wanted}`, outcome: (wanted) => wanted, caught: (wanted) => `caught by ${wanted}`,
    runs: (wanted) => ({ ran: "ran the experiment itself", crashed: "first run crashed", recovered: "recovered from a crash" })[wanted] ?? wanted,
    certified: (wanted) => (wanted === "1" ? "certified tasks" : "tasks without certificate"),
  };

  function behindRow(place, type) {
    const task = tasks[taskOf(place)], agent = agents[agentOf(place)], ended = outcomeOf(place);
    const against = verdictsOf(place).filter((one) => one.status !== "met");
    const chosen = against.find((one) => type && one.insight?.type?.id === type) ?? against.find((one) => one.item === text("caught", place)) ?? against[0];
    const why = chosen ? `${chosen.item}: ${whole(chosen.evidence)}` : text("error", place) ?? "";
    const address = `#${task.anchor}/${agent.anchor}/${value("epoch", place)}${chosen ? `/${encodeURIComponent(chosen.item)}` : ""}`;
    return element("li", {},
      element("a", { href: address }, element("span", { class: `outcome ${ended}` }, ...outcome(ended)), ` ${task.title}`),
      element("span", { class: "model" }, `${agent.label}${value("epoch", place) > 1 ? `, attempt ${value("epoch", place)}` : ""}`),
      why ? element("span", { class: "why" }, why.slice(0, 240)) : null);
  }

  function showBehind(query) {
    const wanted = [...query].filter(([name]) => Object.hasOwn(tests, name));
    const found = [];
    for (let place = 0; place < size; place += 1) if (wanted.every(([name, word]) => tests[name](place, word))) found.push(place);
    const passed = found.filter((place) => outcomeOf(place) === "passed").length;
    const unknown = found.filter((place) => outcomeOf(place) === "unknown").length;
    const line = data.commands[query.get("by")] ?? data.commands.report;
    const list = element("ol", { class: "attempts" });
    const rows = gradual(list, found.length, (at) => behindRow(found[at], query.get("type")), 60);
    frame("Behind this number", [element("p", { class: "by" }, wanted.map(([name, word]) => (spoken[name] ?? String)(word)).join(" · ") || "every attempt")],
      element("p", {}, `${counted(found.length, "attempt")}: ${passed} passed, ${found.length - passed - unknown} failed, ${unknown} unknown. Each opens with its evidence.`),
      mainPart("The command that re-makes it", command(line, "The command that re-makes it")), mainPart("The attempts that it counts", list, rows.more));
  }

