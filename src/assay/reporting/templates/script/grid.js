  /* The grid of tasks and agents, with its filters and its order */
  const form = document.getElementById("filters"), table = document.getElementById("grid"), body = table.tBodies[0];
  const shown = agents.map((agent, place) => place).filter((place) => agents[place].role !== "cheat");
  const fields = ["text", "kind", "agent", "status"];
  const abouts = tasks.map((task) => `${task.id} ${task.title} ${task.kind} ${task.suite}`.toLowerCase());
  const names = agents.map((agent) => agent.label.toLowerCase());
  const wanted = { text: "", kind: "", agent: "", status: "", sort: "" };
  let order = [], visible = shown, rows = null;

  function cellText(attempts) {
    const words = attempts.map(outcomeOf), kinds = new Set(words);
    if (attempts.length === 1) return [words[0], words[0]];
    const passed = words.filter((word) => word === "passed").length, unknown = words.filter((word) => word === "unknown").length;
    return [kinds.size === 1 ? words[0] : "mixed", `${passed}/${words.length} passed${unknown ? `, ${unknown} unknown` : ""}`];
  }
  const share = (attempts) => (attempts ? attempts.filter((place) => outcomeOf(place) === "passed").length / attempts.length : -1);

  function matches(task, words) {
    if (wanted.kind && tasks[task].kind !== wanted.kind) return false;
    const rest = words.filter((word) => !abouts[task].includes(word));
    return visible.some((agent) => {
      const attempts = cellOf(task, agent);
      if (!attempts) return !wanted.status && rest.length === 0;
      const ended = attempts.map(outcomeOf);
      if (wanted.status && !ended.includes(wanted.status)) return false;
      return rest.every((word) => `${names[agent]} ${ended.join(" ")}`.includes(word));
    });
  }

  function arrange() {
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    visible = wanted.agent && agentPlace.has(wanted.agent) ? [agentPlace.get(wanted.agent)] : shown;
    order = tasks.map((_, place) => place).filter((place) => matches(place, words));
    const [column, direction] = wanted.sort.split(":"), sign = direction === "down" ? -1 : 1;
    if (column === "task") order.sort((one, other) => sign * tasks[one].title.localeCompare(tasks[other].title, "en") || one - other);
    else if (agentPlace.has(column)) {
      const agent = agentPlace.get(column);
      order.sort((one, other) => sign * (share(cellOf(one, agent)) - share(cellOf(other, agent))) || one - other);
    }
  }

  function heading(key, title, attributes, detail) {
    const sorted = wanted.sort.split(":")[0] === key ? wanted.sort.split(":")[1] : "";
    const cell = element("th", { scope: "col", ...attributes, "aria-sort": sorted === "up" ? "ascending" : sorted === "down" ? "descending" : "none" });
    const press = element("button", { type: "button", class: "sort" }, title, element("span", { "aria-hidden": "true" }, sorted === "up" ? " ↑" : sorted === "down" ? " ↓" : ""));
    press.addEventListener("click", () => {
      wanted.sort = sorted === "" ? `${key}:${key === "task" ? "up" : "down"}` : sorted === (key === "task" ? "up" : "down") ? `${key}:${key === "task" ? "down" : "up"}` : "";
      draw();
      remember();
      table.querySelector(`th[data-key="${CSS.escape(key)}"] button`)?.focus();
    });
    cell.dataset.key = key;
    cell.append(press, detail ?? "");
    return cell;
  }

  function row(at) {
    const place = order[at], task = tasks[place];
    const line = element("tr", { "aria-rowindex": at + 2 }, element("th", { scope: "row" }, element("span", { class: "task-title" }, task.title),
      element("span", { class: "model" }, element("code", {}, task.id), ` · ${task.kind}${task.kind === "masked" && task.n ? `, n = ${task.n}` : ""}`,
        task.certified ? "" : " · ", task.certified ? "" : element("em", {}, "not certified"))));
    for (const agent of visible) {
      const attempts = cellOf(place, agent);
      if (!attempts) {
        line.append(element("td", { class: "none" }, element("span", { class: "visually-hidden" }, "not run"), element("span", { "aria-hidden": "true" }, "·")));
        continue;
      }
      const [status, said] = cellText(attempts);
      line.append(element("td", {}, element("a", { class: `outcome ${status}`, href: `#${task.anchor}/${agents[agent].anchor}`, "aria-label": `${task.title}, ${agents[agent].label}: ${said}` }, ...outcome(status, said))));
    }
    return line;
  }

  function draw() {
    arrange();
    rows?.stop();
    rows?.more.remove();
    table.tHead.replaceChildren(element("tr", { "aria-rowindex": 1 }, heading("task", "Task", {}),
      ...visible.map((agent) => heading(agents[agent].anchor, agents[agent].name, { class: `role-${agents[agent].role}` },
        agents[agent].model === "none" ? null : element("span", { class: "model" }, agents[agent].model)))));
    body.replaceChildren();
    table.setAttribute("aria-rowcount", order.length + 1);
    rows = gradual(body, order.length, row, 80);
    table.parentElement.after(rows.more);
    document.getElementById("matches").textContent = `${order.length.toLocaleString("en")} of ${tasks.length.toLocaleString("en")} tasks`;
  }

  function remember() {
    const query = new URLSearchParams(Object.entries(wanted).filter(([, word]) => word));
    history.replaceState(null, "", query.size ? `#tasks?${query}` : location.pathname + location.search);
  }

  function recall(query) {
    for (const name of Object.keys(wanted)) wanted[name] = query.get(name) ?? "";
    for (const name of fields) form.elements[name].value = wanted[name];
    draw();
    document.getElementById("tasks").scrollIntoView();
  }

  function neighbours(task, agent) {
    const links = [];
    for (const place of order) for (const one of visible) if (cellOf(place, one)) links.push([place, one]);
    const at = links.findIndex(([place, one]) => place === task && one === agent);
    if (at < 0) return null;
    const step = (label, to) => to && element("a", { href: `#${tasks[to[0]].anchor}/${agents[to[1]].anchor}`, rel: "nofollow" }, label);
    return element("span", { class: "steps" }, step("‹ Previous", links[at - 1]), step("Next ›", links[at + 1]));
  }

  /* Arrows go from cell to cell. */
  body.addEventListener("keydown", (event) => {
    const link = event.target.closest("td a");
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!link || !step) return;
    event.preventDefault();
    let line = link.closest("tr"), across = link.parentElement.cellIndex;
    do {
      if (step[0]) {
        rows.upTo(line.sectionRowIndex + 2);
        line = step[0] > 0 ? line.nextElementSibling : line.previousElementSibling;
      } else across += step[1];
      const cell = line?.cells[across];
      if (!cell || across === 0) return;
      const next = cell.querySelector("a");
      if (next) { next.focus(); return; }
    } while (line);
  });

  let waiting = 0;
  function changed() {
    for (const name of fields) wanted[name] = form.elements[name].value;
    draw();
    clearTimeout(waiting);
    waiting = setTimeout(remember, 250);
  }
  for (const happening of ["input", "change"]) form.addEventListener(happening, changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { wanted.sort = ""; changed(); }));
  form.hidden = false;
  window.addEventListener("beforeprint", () => rows.all());
  draw();

