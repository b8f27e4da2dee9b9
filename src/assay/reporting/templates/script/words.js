  /* Texts */
  function whole(raw) {
    const [kept, missing] = raw.split("\u001f"), text = kept.replaceAll(" ⏎ ", "\n");
    return missing ? `${text} … ${Number(missing).toLocaleString("en")} more characters are in the log` : text;
  }
  /* Evidence in one line: of a traceback how it begins and its last line, which names the error. */
  function gist(words) {
    const lines = words.split("\n").map((line) => line.trim()).filter(Boolean);
    if (lines.length < 2) return lines[0] ?? "";
    const start = lines[0].split("Traceback")[0].trim().replace(/:$/, "");
    return start ? `${start}: ${lines.at(-1)}` : lines.at(-1);
  }
  function timeText(seconds) {
    if (seconds < 60) return seconds < 10 ? `${seconds.toFixed(1)} s` : `${seconds.toFixed(0)} s`;
    const minutes = Math.floor(Math.round(seconds) / 60), hours = Math.floor(minutes / 60);
    if (hours) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
    return `${minutes} min ${String(Math.round(seconds) % 60).padStart(2, "0")} s`;
  }
  const moneyText = (cost) => (cost >= 0.01 || cost === 0 ? `$${cost.toFixed(2)}` : `$${cost.toFixed(4)}`);
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  function remaking(place) {
    const task = tasks[taskOf(place)], agent = agents[agentOf(place)];
    const graded = value("submission", place) !== null;
    const words = graded ? ["grade", text("log", place) ?? "LOGS"] : ["run", task.suite];
    words.push("--task", task.id, "--agent", agent.name);
    if (!graded && agent.model !== "none") words.push("--model", agent.model);
    return ["assay", ...words].map(quoted).join(" ");
  }

  function outcome(word, said = word) {
    return [element("span", { class: "mark", "aria-hidden": "true" }, marks[word]), ` ${said}`];
  }

  function command(line, label) {
    const box = element("div", { class: "command" }, element("pre", { tabindex: "0", role: "region", "aria-label": label }, element("code", {}, line)));
    if (navigator.clipboard) {
      const copy = element("button", { type: "button", "aria-label": `Copy: ${label}` }, "Copy");
      copy.addEventListener("click", () => navigator.clipboard.writeText(line)
        .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it by hand"; }));
      box.append(copy);
    }
    return box;
  }

  const evidenceBox = (words, label) => element("pre", { class: "evidence", tabindex: "0", role: "region", "aria-label": label }, words);
  const part = (title, ...children) => element("section", {}, element("h4", {}, title), ...children);
  const mainPart = (title, ...children) => element("section", {}, element("h3", { class: "small" }, title), ...children);

  /* Rows that are added as the reader comes to them; `more` is the button for those who do not scroll. */
  function gradual(target, count, make, step) {
    let drawn = 0;
    const more = element("button", { type: "button", class: "more" });
    const add = (number) => {
      const rows = [];
      for (const last = Math.min(count, drawn + number); drawn < last; drawn += 1) rows.push(make(drawn));
      target.append(...rows);
      more.hidden = drawn >= count;
      more.textContent = `Show ${Math.min(step, count - drawn)} more of ${(count - drawn).toLocaleString("en")}`;
    };
    const watcher = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) add(step); }, { rootMargin: "900px" });
    more.addEventListener("click", () => {
      const place = target.children.length;
      add(step);
      target.children[place]?.querySelector("a, button, summary")?.focus();
    });
    add(step);
    watcher.observe(more);
    return { more, upTo: (number) => { if (drawn < number) add(number - drawn); }, all: () => add(count), stop: () => watcher.disconnect() };
  }

