  /* What stands behind a number: the attempts that it counts, and the command that re-makes it */
  const inPhases = (verdicts, letters) => {
    const phases = new Set(letters.split("·").flatMap((letter) => data.steps[letter] ?? []));
    const statuses = verdicts.filter((one) => phases.has(one.item.split(".")[0])).map((one) => one.status);
    return verdicts.length && !statuses.includes("unmet") && !statuses.includes("unknown");
  };
  /* Measures of experiments: which phases a task asks for, as any attempt at it tells; then all of them met, or not. */
  const letterOf = Object.fromEntries(Object.entries(data.steps).map(([letter, names]) => [names[0], letter]));
  const phaseOf = (one) => one.item.split(".")[0];
  let asking = null;
  function asked(task) {
    if (!asking) {
      asking = tasks.map(() => new Set());
      for (let place = 0; place < size; place += 1) for (const one of verdictsOf(place)) if (letterOf[phaseOf(one)]) asking[taskOf(place)].add(letterOf[phaseOf(one)]);
    }
    return asking[task];
  }
  function measured(place, needs) {
    const verdicts = verdictsOf(place);
    const found = needs.split("·").map((letter) => {
      const statuses = verdicts.filter((one) => data.steps[letter].includes(phaseOf(one))).map((one) => one.status);
      return statuses.includes("unmet") ? "unmet" : statuses.includes("unknown") || !statuses.length ? "unknown" : "met";
    });
    return found.includes("unmet") ? "unmet" : found.includes("unknown") ? "unknown" : "met";
  }
  const tests = {
    task: (place, wanted) => tasks[taskOf(place)].anchor === wanted,
    label: (place, wanted) => {
      const cut = wanted.indexOf(":");
      return tasks[taskOf(place)].labels[wanted.slice(0, cut)] === wanted.slice(cut + 1);
    },
    measure: (place, wanted) => asked(taskOf(place)).size === 0 || wanted.split("·").every((letter) => asked(taskOf(place)).has(letter)),
    executed: (place) => {
      const statuses = verdictsOf(place).filter((one) => phaseOf(one) === "execution").map((one) => one.status);
      return statuses.length > 0 && !statuses.includes("unknown");
    },
    judged: (place, wanted) => !data.time_limits.includes(text("limit", place)) && wanted.split("·").every((letter) => measured(place, letter) !== "unknown"),
    complete: (place, wanted) => verdictsOf(place).every((one) => one.status !== "unknown" || !data.steps[wanted].includes(phaseOf(one))),
    fault: (place, wanted) => [...verdictsOf(place).map((one) => one.insight), insightAt(value("lost", place) ?? 0)].some((one) => one?.type && (one.fault ?? "unclear") === wanted),
    suite: (place, wanted) => tasks[taskOf(place)].suite === wanted,
    kind: (place, wanted) => tasks[taskOf(place)].kind === wanted,
    n: (place, wanted) => tasks[taskOf(place)].n === Number(wanted),
    agent: (place, wanted) => agents[agentOf(place)].anchor === wanted,
    name: (place, wanted) => agents[agentOf(place)].name === wanted,
    role: (place, wanted) => wanted.split(" ").includes(agents[agentOf(place)].role),
    outcome: (place, wanted) => wanted.split(" ").includes(outcomeOf(place)),
    caught: (place, wanted) => text("caught", place) === wanted,
    rung: (place, wanted) => inPhases(verdictsOf(place), wanted),
    certified: (place, wanted) => String(tasks[taskOf(place)].certified) === wanted,
    runs: (place, wanted) => {
      const runs = value("runs", place);
      if (wanted === "untold") return !runs;
      if (!runs || runs[0] === 0) return wanted === "never" && Boolean(runs);
      return wanted === "ran" || (wanted !== "never" && (wanted === "crashed" ? runs[1] === true : runs[2] === true));
    },
    type: (place, wanted) => verdictsOf(place).some((one) => one.insight?.type?.id === wanted) || insightAt(value("lost", place) ?? 0)?.type?.id === wanted,
  };
  const spoken = {
    agent: (wanted) => agents[agentPlace.get(wanted)]?.label ?? wanted, n: (wanted) => `n = ${wanted}`,
    type: (wanted) => types.find((one) => one.id === wanted)?.title ?? wanted, role: (wanted) => wanted.replaceAll(" ", ", "),
    rung: (wanted) => `right in ${wanted}`, outcome: (wanted) => wanted.replaceAll(" ", " or "), caught: (wanted) => `caught by ${wanted}`,
    runs: (wanted) => ({ ran: "ran the experiment itself", crashed: "first run crashed", recovered: "recovered from a crash", never: "never ran it", untold: "the log does not say" })[wanted] ?? wanted,
    task: (wanted) => tasks[taskPlace.get(wanted)]?.title ?? wanted, label: (wanted) => wanted.replace(":", " "), executed: () => "executed",
    judged: () => "judged: it ended in time, and each phase has a verdict", complete: (wanted) => `no unknown item in ${wanted}`,
    measure: (wanted) => `all of ${wanted} met, of the tasks that ask for it`, fault: (wanted) => `whose fault: ${wanted}`,
    certified: (wanted) => (wanted === "1" ? "certified tasks" : "tasks without certificate"),
  };

  function behindRow(place, type, needs) {
    const task = tasks[taskOf(place)], agent = agents[agentOf(place)], ended = needs ? measured(place, needs) : outcomeOf(place);
    const phases = needs && new Set(needs.split("·").flatMap((letter) => data.steps[letter]));
    const against = verdictsOf(place).filter((one) => one.status !== "met" && (!phases || phases.has(phaseOf(one))));
    const chosen = against.find((one) => type && one.insight?.type?.id === type) ?? against.find((one) => one.item === text("caught", place)) ?? against[0];
    const why = chosen ? [chosen.item, gist(whole(chosen.evidence))].filter(Boolean).join(": ") : text("error", place) ?? "";
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
    const needs = query.get("measure"), ends = found.map((place) => (needs ? measured(place, needs) : outcomeOf(place)));
    const passed = ends.filter((word) => word === "passed" || word === "met").length, unknown = ends.filter((word) => word === "unknown").length;
    const line = data.commands[query.get("by")] ?? data.commands.report;
    const list = element("ol", { class: "attempts" });
    const rows = gradual(list, found.length, (at) => behindRow(found[at], query.get("type"), needs), 60);
    frame("Behind this number", [element("p", { class: "by" }, wanted.map(([name, word]) => (spoken[name] ?? String)(word)).join(" · ") || "every attempt")],
      element("p", {}, `${counted(found.length, "attempt")}: ${passed} ${needs ? "met it" : "passed"}, ${found.length - passed - unknown} ${needs ? "did not" : "failed"}, ${unknown} unknown. Each opens with its evidence.`),
      mainPart("The command that computes it again", command(line, "The command that computes it again")), mainPart("The attempts behind it", list, rows.more));
  }

