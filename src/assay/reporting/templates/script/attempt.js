  /* The attempt */
  const dialog = document.getElementById("attempt");

  function particulars(place) {
    const score = value("score", place), deviation = value("deviation", place), normalised = value("normalised", place);
    const time = value("seconds", place), working = value("working", place), runs = value("runs", place);
    const cost = value("cost", place), tokens = value("tokens", place), grading = value("grading", place);
    const ran = runs && (runs[0] === 0 ? "never ran the experiment itself"
      : `${counted(runs[0], "run")} of its own; the first ${runs[1] ? "crashed" : "went well"}${runs[1] ? (runs[2] ? ", a later one went well" : ", none went well after") : ""}`);
    const code = (words) => words && element("code", {}, words);
    const rows = [
      ["Owner", text("owner", place)], ["Caught by", text("caught", place)],
      ["Score", score === null ? null : `${score}${deviation === null ? "" : ` ± ${deviation}`}`],
      ["Normalised", normalised === null ? null : `${normalised.toFixed(3)} (baseline 0, reference 1)`],
      ["Stopped by", text("limit", place) && `the ${text("limit", place)} limit`], ["Own runs", ran],
      ["Tokens", tokens && tokens.toLocaleString("en")], ["Cost", cost === null ? null : moneyText(cost)],
      ["Time", time === null ? null : timeText(time) + (working === null ? "" : `, of it ${timeText(working)} working`)],
      ["Grading", grading === null ? null : timeText(grading)],
      ["Submission", code(value("submission", place) && `sha256:${value("submission", place)}`)],
      ["Log", code(text("log", place))], ["Sample", code(value("sample", place))],
    ];
    return element("dl", { class: "particulars" }, ...rows.filter((row) => row[1])
      .map(([name, said]) => element("div", {}, element("dt", {}, name), element("dd", {}, said))));
  }

  function insightView(insight) {
    if (!insight) return null;
    const kind = insight.type ? [element("a", { href: `#of?type=${encodeURIComponent(insight.type.id)}&by=failures` }, insight.type.title)] : ["follows from another failure"];
    const fault = insight.fault === null ? "cannot be told" : `the ${insight.fault}’s`;
    return element("p", { class: "insight" }, "Kind of failure: ", ...kind, `. Whose fault: ${fault} (${insight.because}).`);
  }

  function verdict({ item, status, owner, evidence, insight }) {
    const attributes = { class: `verdict ${status}`, "data-item": item };
    if (status !== "met") attributes.open = "";
    const said = whole(evidence);
    return element("details", attributes,
      element("summary", {},
        element("span", { class: `outcome ${status}` }, ...outcome(status)),
        element("code", {}, item),
        owner ? element("span", { class: "owner" }, `owner: ${owner}`) : null,
        element("span", { class: "preview", "aria-hidden": "true" }, said.slice(0, 160))),
      evidenceBox(said || "no evidence was given", `Evidence of ${item}`), insightView(insight));
  }

  function diffView(submission) {
    const diff = submission && Object.hasOwn(data.diffs, submission) ? data.diffs[submission] : null;
    if (diff === null) return null;
    const looks = { "+": "added", "-": "removed", "@": "hunk", "=": "file" };
    const lines = diff.split("\n").map((line) => element("span", { class: `line ${looks[line[0]] ?? ""}` }, `${line}\n`));
    const box = element("pre", { class: "diff", tabindex: "0", role: "region", "aria-label": "What was handed in" }, ...lines);
    const added = diff.match(/^\+/gm)?.length ?? 0, removed = diff.match(/^-/gm)?.length ?? 0;
    return element("details", { class: "handed-in", open: "" }, element("summary", {}, `What was handed in: ${added} lines added, ${removed} removed`), box);
  }

  function onTheWay(place) {
    const told = value("checkpoints", place) ?? [];
    if (!told.length) return null;
    let best = null;
    const rows = told.map(([seconds, score, valid, note]) => {
      const rises = valid && score !== null && (best === null || score > best);
      if (rises) best = score;
      return element("tr", {}, element("th", { scope: "row" }, timeText(seconds)), element("td", { class: "right" }, score === null ? "–" : score.toFixed(3)),
        element("td", {}, element("span", { class: `outcome ${valid ? "met" : "unmet"}` }, ...outcome(valid ? "met" : "unmet", valid ? "valid" : "not valid"))), element("td", { class: "none" }, rises ? "best so far" : note));
    });
    const heads = ["After", "Score", "Valid", "Note"].map((name) => element("th", { scope: "col", ...(name === "Score" ? { class: "right" } : {}) }, name));
    return part(`Submissions scored on the way: ${told.length}`, element("table", { class: "plain pairs" }, element("caption", { class: "visually-hidden" }, "Scores on the way"), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
  }

  function transcript(place) {
    const log = text("log", place);
    if (!log) return null;
    const task = tasks[taskOf(place)], root = data.commands.folder, sample = value("sample", place);
    const within = root && log.startsWith(`${root}/`), cut = log.lastIndexOf("/");
    const file = within ? log.slice(root.length + 1) : log.slice(cut + 1);
    const serve = within ? data.commands.view : `assay view ${quoted(cut < 0 ? "." : log.slice(0, cut))}`;
    /* The sample by its own identifier: a log that was resumed numbers its attempts anew. */
    const chosen = sample ? `sample_uuid/${encodeURIComponent(sample)}` : `sample/${encodeURIComponent(task.id)}/${value("epoch", place)}`;
    const href = `http://127.0.0.1:7575/#/logs/${file.split("/").map(encodeURIComponent).join("/")}/samples/${chosen}`;
    return part("Read the transcript", command(serve, "Serve the logs"),
      element("p", { class: "model" }, "then ", element("a", { href, target: "_blank", rel: "noopener noreferrer" }, "open this attempt in Inspect View"),
        `: ${file}, sample ${task.id}, ${sample ?? ""}`));
  }

  function attemptView(place, all) {
    const ended = outcomeOf(place), epoch = value("epoch", place);
    const said = all.length > 1 ? `Attempt ${epoch} of ${all.length}: ${ended}` : ended;
    const view = element("article", { "data-epoch": epoch }, element("h3", { class: `outcome ${ended}`, tabindex: "-1" }, ...outcome(ended, said)));
    const error = text("error", place), verdicts = verdictsOf(place), notices = value("notices", place) ?? [];
    if (error) view.append(part("What halted it", evidenceBox(whole(error), "What halted it"), insightView(insightAt(value("lost", place) ?? 0)) ?? ""));
    if (verdicts.length) {
      const met = verdicts.filter((one) => one.status === "met").length;
      view.append(part(`Verdicts: ${met} of ${verdicts.length} met`, ...verdicts.map(verdict)));
    }
    const way = onTheWay(place);
    if (way) view.append(way);
    const diff = diffView(value("submission", place));
    if (diff) view.append(diff);
    if (notices.length) {
      const list = element("ul", { class: "notices" });
      for (let at = 0; at < notices.length; at += 2) list.append(element("li", {}, element("code", {}, data.texts[notices[at]]), ` ${whole(data.texts[notices[at + 1]])}`));
      view.append(part("Notices", list));
    }
    view.append(part("Particulars", particulars(place)));
    const graded = value("submission", place) !== null ? "Grade it again" : "Run it again";
    view.append(part(graded, command(remaking(place), graded)));
    const read = transcript(place);
    if (read) view.append(read);
    return view;
  }

  function frame(title, about, ...children) {
    const close = element("button", { type: "button", class: "close" }, "Close");
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(
      element("header", {}, element("div", {}, element("h2", { id: "attempt-title", tabindex: "-1" }, title), ...about), close), ...children);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.querySelector("#attempt-title").focus();
  }

  function showAttempts(taskAt, agentAt, epoch, item) {
    const task = tasks[taskAt], agent = agents[agentAt], all = cellOf(taskAt, agentAt);
    const nature = [task.suite, task.kind + (task.kind === "masked" && task.n ? `, n = ${task.n} (${task.n === 1 ? "reproduction" : "replication"})` : ""), task.certified ? "certified" : "not certified"];
    const asked = element("details", { class: "asked" }, element("summary", {}, "What was asked"), evidenceBox(whole(task.asked) || "the log does not say", "What was asked"));
    frame(task.title, [
      element("p", { class: "model" }, element("code", {}, task.id), ` · ${nature.join(" · ")}`),
      element("p", { class: "by" }, "by ", element("b", {}, agent.label), agent.description ? `: ${agent.description}` : "")],
    asked, ...all.map((place) => attemptView(place, all)), element("footer", {}, neighbours(taskAt, agentAt)));
    const chosen = epoch && dialog.querySelector(`article[data-epoch="${CSS.escape(epoch)}"]`);
    if (!chosen) return;
    const told = item && chosen.querySelector(`[data-item="${CSS.escape(item)}"]`);
    if (told) told.open = true;
    (told ?? chosen).scrollIntoView();
  }

