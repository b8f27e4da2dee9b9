"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dialog = document.getElementById("attempt");
  const marks = { met: "✓", unmet: "✗", unknown: "?", passed: "✓", failed: "✗" };

  /* Every text goes in as a text node: agents wrote some of it. */
  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  }

  /* The attempt */
  function facts(attempt) {
    const score = attempt.score === undefined ? undefined
      : `${attempt.score}${attempt.deviation === undefined ? "" : ` ± ${attempt.deviation}`}`;
    const normalised = attempt.normalised === undefined ? undefined
      : `${attempt.normalised.toFixed(3)} (baseline 0, reference 1)`;
    const rows = [
      ["Owner", attempt.owner], ["Caught by", attempt.caught], ["Score", score], ["Normalised", normalised],
      ["Stopped by", attempt.limit && `the ${attempt.limit} limit`],
      ["Tokens", attempt.tokens && attempt.tokens.toLocaleString("en")], ["Cost", attempt.cost],
      ["Time", attempt.time && (attempt.working ? `${attempt.time}, of it ${attempt.working} working` : attempt.time)],
      ["Grading", attempt.grading], ["Submission", attempt.submission && element("code", {}, `sha256:${attempt.submission}`)],
      ["Log", attempt.log && element("code", {}, attempt.log)], ["Sample", attempt.sample && element("code", {}, attempt.sample)],
    ];
    return element("dl", { class: "particulars" }, ...rows.filter((row) => row[1])
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }

  function verdict([item, status, owner, evidence]) {
    const attributes = { class: `verdict ${status}`, "data-item": item };
    if (status !== "met") attributes.open = "";
    return element("details", attributes,
      element("summary", {},
        element("span", { class: `outcome ${status}` }, element("span", { class: "mark", "aria-hidden": "true" }, marks[status]), ` ${status}`),
        element("code", {}, item),
        owner ? element("span", { class: "owner" }, `owner: ${owner}`) : null,
        element("span", { class: "preview", "aria-hidden": "true" }, evidence)),
      element("pre", { class: "evidence", tabindex: "0" }, evidence || "no evidence was given"));
  }

  function command(text) {
    const box = element("div", { class: "command" }, element("pre", { tabindex: "0" }, element("code", {}, text)));
    if (navigator.clipboard) {
      const copy = element("button", { type: "button" }, "Copy");
      copy.addEventListener("click", () => navigator.clipboard.writeText(text)
        .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it by hand"; }));
      box.append(copy);
    }
    return box;
  }

  function part(title, ...children) {
    return element("section", {}, element("h4", {}, title), ...children);
  }

  function attemptView(attempt, place, all) {
    const heading = element("h3", { class: `outcome ${attempt.outcome}` },
      element("span", { class: "mark", "aria-hidden": "true" }, marks[attempt.outcome]),
      all.length > 1 ? ` Attempt ${attempt.epoch} of ${all.length}: ${attempt.outcome}` : ` ${attempt.outcome}`);
    const view = element("article", { "data-epoch": attempt.epoch }, heading);
    if (attempt.error) view.append(part("What halted it", element("pre", { class: "evidence", tabindex: "0" }, attempt.error)));
    if (attempt.verdicts) {
      const met = attempt.verdicts.filter((one) => one[1] === "met").length;
      view.append(part(`Verdicts: ${met} of ${attempt.verdicts.length} met`, ...attempt.verdicts.map(verdict)));
    }
    if (attempt.notices) {
      view.append(part("Notices", element("ul", { class: "notices" }, ...attempt.notices.map(([flag, evidence]) =>
        element("li", {}, element("code", {}, flag), ` ${evidence}`)))));
    }
    view.append(part("Particulars", facts(attempt)), part(attempt.submission ? "Grade it again" : "Run it again", command(attempt.command)));
    return view;
  }

  function neighbours(key) {
    const links = [...document.querySelectorAll("#grid tbody tr:not([hidden]) td:not([hidden]) a")].map((link) => link.getAttribute("href"));
    const place = links.indexOf(`#${key}`);
    if (place < 0) return null;
    const step = (label, href) => href ? element("a", { href, rel: "nofollow" }, label) : null;
    return element("span", { class: "steps" }, step("‹ Previous", links[place - 1]), step("Next ›", links[place + 1]));
  }

  function show(key, epoch) {
    const [taskName, agentName] = key.split("/");
    const task = data.tasks[taskName], agent = data.agents[agentName], attempts = data.cells[key];
    const close = element("button", { type: "button", class: "close" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const nature = [task.suite, task.kind + (task.kind === "masked" && task.n ? `, n = ${task.n}` : ""), task.certified ? "certified" : "not certified"];
    const asked = element("details", { class: "asked" }, element("summary", {}, "What was asked"),
      element("pre", { class: "evidence", tabindex: "0" }, task.asked || "the log does not say"));
    dialog.replaceChildren(
      element("header", {}, element("div", {},
        element("h2", { id: "attempt-title", tabindex: "-1" }, task.title),
        element("p", { class: "model" }, element("code", {}, task.id), ` · ${nature.join(" · ")}`),
        element("p", { class: "by" }, "by ", element("b", {}, agent.label), agent.description ? `: ${agent.description}` : "")), close),
      asked, ...attempts.map(attemptView), element("footer", {}, neighbours(key)));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.querySelector("#attempt-title").focus();
    const chosen = epoch && dialog.querySelector(`article[data-epoch="${CSS.escape(epoch)}"]`);
    if (chosen) chosen.scrollIntoView();
  }

  function follow() {
    const parts = decodeURIComponent(location.hash.slice(1)).split("/");
    const key = parts.slice(0, 2).join("/");
    if (Object.hasOwn(data.cells, key)) show(key, parts[2]);
    else if (dialog.open) dialog.close();
  }

  dialog.addEventListener("close", () => {
    const key = decodeURIComponent(location.hash.slice(1));
    if (key.includes("/")) history.replaceState(null, "", location.pathname + location.search);
    const opener = document.querySelector(`#grid a[href="#${CSS.escape(key)}"]`);
    if (opener) opener.focus();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  window.addEventListener("hashchange", follow);

  /* Filters */
  const form = document.getElementById("filters");
  const rows = [...document.querySelectorAll("#grid tbody tr")];
  const names = Object.fromEntries(Object.entries(data.agents).map(([key, agent]) => [key, agent.label.toLowerCase()]));

  function matches(row, words, kind, agent, status) {
    if (kind && row.dataset.kind !== kind) return false;
    const about = row.dataset.text.toLowerCase();
    const cells = [...row.cells].slice(1).filter((cell) => !agent || cell.dataset.agent === agent);
    const rest = words.filter((word) => !about.includes(word));
    return cells.some((cell) => {
      const outcomes = cell.dataset.outcomes;
      if (status && !outcomes.split(" ").includes(status)) return false;
      return rest.every((word) => outcomes && `${names[cell.dataset.agent]} ${outcomes}`.includes(word));
    });
  }

  function filter() {
    const { text, kind, agent, status } = form.elements;
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const cell of document.querySelectorAll("#grid [data-agent]")) cell.hidden = Boolean(agent.value) && cell.dataset.agent !== agent.value;
    let count = 0;
    for (const row of rows) {
      row.hidden = !matches(row, words, kind.value, agent.value, status.value);
      if (!row.hidden) count += 1;
    }
    document.getElementById("matches").textContent = `${count} of ${rows.length} tasks`;
  }

  form.hidden = false;
  for (const happening of ["input", "change"]) form.addEventListener(happening, filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();

  /* Light and dark */
  const button = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  function remembered() { try { return localStorage.getItem("assay-theme"); } catch { return null; } }
  function setTheme(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.dataset.theme = theme;
    try { localStorage.setItem("assay-theme", theme); } catch { /* a file that may not remember still shows */ }
  }
  button.hidden = false;
  button.addEventListener("click", () => setTheme(themes[(themes.indexOf(button.dataset.theme) + 1) % themes.length]));
  setTheme(themes.includes(remembered()) ? remembered() : "system");

  follow();
})();
