  /* The attempt */
  const dialog = document.getElementById("attempt");

  function gpuText(gpu) {
    if (!gpu) return null;
    const [attempt, grading, peak] = gpu, hours = (number) => `${number.toFixed(3)} hours`;
    const parts = [attempt === null ? "" : `${hours(attempt)} in the attempt`, grading === null ? "" : `${hours(grading)} in grading`, peak === null ? "peak memory unknown" : `peak memory ${(peak / 1024).toFixed(1)} GB`];
    return parts.filter(Boolean).join(", ");
  }

  function particulars(place) {
    const score = value("score", place), deviation = value("deviation", place), normalised = value("normalised", place);
    const time = value("seconds", place), working = value("working", place), runs = value("runs", place);
    const cost = value("cost", place), tokens = value("tokens", place), grading = value("grading", place);
    const ran = runs && (runs[0] === 0 ? "never ran the experiment"
      : `${counted(runs[0], "run")} of its own; the first ${runs[1] ? "crashed" : "succeeded"}${runs[1] ? (runs[2] ? ", a later one succeeded" : ", none succeeded after") : ""}`);
    const code = (words) => words && element("code", {}, words);
    const rows = [
      ["Owner", text("owner", place)], ["Caught by", text("caught", place)],
      ["Score", score === null ? null : `${score}${deviation === null ? "" : ` ± ${deviation}`}`],
      ["Normalised", normalised === null ? null : `${normalised.toFixed(3)} (baseline 0, reference 1)`],
      ["Stopped by", text("limit", place) && `the ${text("limit", place)} limit`], ["Own runs", ran],
      ["Tokens", tokens && tokens.toLocaleString("en")], ["Cost", cost === null ? null : moneyText(cost)],
      ["Time", time === null ? null : timeText(time) + (working === null ? "" : `, of it ${timeText(working)} working`)],
      ["Grading", grading === null ? null : timeText(grading)], ["GPU", gpuText(value("gpu", place))],
      ["Submission", code(value("submission", place) && `sha256:${value("submission", place)}`)],
      ["Log", code(text("log", place))], ["Sample", code(value("sample", place))],
    ];
    return element("dl", { class: "particulars" }, ...rows.filter((row) => row[1])
      .map(([name, said]) => element("div", {}, element("dt", {}, name), element("dd", {}, said))));
  }

  function insightView(insight) {
    if (!insight) return null;
    if (insight.type === null && !insight.because) return null;
    const kind = insight.type ? [element("a", { href: `#of?type=${encodeURIComponent(insight.type.id)}&by=failures` }, insight.type.title)] : ["follows from another failure"];
    const fault = insight.fault === null ? "unclear" : `the ${insight.fault}’s`;
    return element("p", { class: "insight" }, "Kind of failure: ", ...kind, `. Whose fault: ${fault} (${insight.because}).`);
  }

  function verdict({ item, status, owner, evidence, insight }) {
    const attributes = { class: `verdict ${status}`, "data-item": item };
    if (status !== "met") attributes.open = "";
    const words = whole(evidence);
    return element("details", attributes,
      element("summary", {},
        element("span", { class: `outcome ${status}` }, ...outcome(status)),
        element("code", {}, item),
        owner ? element("span", { class: "owner" }, `owner: ${owner}`) : null,
        element("span", { class: "preview", "aria-hidden": "true" }, gist(words).slice(0, 160))),
      evidenceBox(words || "no evidence was given", `Evidence of ${item}`), insightView(insight));
  }

  /* Items that fail for one cause stand below it: those that only follow from it, and those that ended in the same traceback. */
  const cause = (one) => (one.evidence.includes(" ⏎ ") ? one.evidence.replace(/\d+(\.\d+)?/g, "#") : one.item);
  function grouped(verdicts) {
    const groups = [], causes = new Map();
    for (const one of verdicts) {
      const follows = one.insight && one.insight.type === null, key = cause(one);
      const group = { head: one, followers: [] };
      if (one.status === "met" || (!follows && !causes.has(key))) groups.push(group);
      if (one.status === "met" || follows) continue;
      if (!causes.has(key)) causes.set(key, group); else causes.get(key).followers.push(one);
    }
    const failed = groups.filter((group) => group.head.status !== "met");
    for (const one of verdicts.filter((one) => one.status !== "met" && one.insight && one.insight.type === null)) {
      const source = failed.find((group) => one.evidence.includes(group.head.evidence)) ?? failed.find((group) => group.head.item.startsWith("execution")) ?? failed[0];
      if (source) source.followers.push(one); else groups.push({ head: one, followers: [] });
    }
    return groups;
  }

  function follower(one, head) {
    const words = whole(one.evidence).replace(whole(head.evidence), "the same failure");
    return element("li", { "data-item": one.item }, element("span", { class: `outcome ${one.status}` }, ...outcome(one.status)), " ", element("code", {}, one.item), " ",
      element("span", { class: "why" }, cause(one) === cause(head) ? "the same failure" : gist(words).slice(0, 200)));
  }

  function verdictGroup({ head, followers }) {
    if (!followers.length) return [verdict(head)];
    const said = followers.length === 1 ? "1 more follows from it" : `${followers.length} more follow from it`;
    return [verdict(head), element("details", { class: "followers" }, element("summary", {}, said), element("ul", {}, ...followers.map((one) => follower(one, head))))];
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
      const rises = valid === 1 && score !== null && (best === null || score > best);
      const [mark, state] = valid === 2 ? ["", "nothing handed in"] : valid ? ["met", "valid"] : ["unmet", "not valid"];
      if (rises) best = score;
      return element("tr", {}, element("th", { scope: "row" }, timeText(seconds)), element("td", { class: "right" }, score === null ? "–" : score.toFixed(3)),
        element("td", {}, valid === 2 ? element("span", { class: "none" }, state) : element("span", { class: `outcome ${mark}` }, ...outcome(mark, state))), element("td", { class: "none" }, rises ? "best so far" : note));
    });
    const heads = ["After", "Score", "Valid", "Note"].map((name) => element("th", { scope: "col", ...(name === "Score" ? { class: "right" } : {}) }, name));
    return part(`Scores during the attempt: ${told.length}`, element("table", { class: "plain pairs" }, element("caption", { class: "visually-hidden" }, "Scores during the attempt"), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
  }

  const speakers = { model: "model", command: "runs", output: "output", file: "writes", user: "prompt" };
  function transcriptView(place) {
    const sample = value("sample", place), entry = sample && Object.hasOwn(data.transcripts, sample) ? data.transcripts[sample] : null;
    if (!entry) return null;
    const [total, isCut, source, steps] = entry;
    const list = element("ol"), epoch = value("epoch", place);
    const frame = element("div", { class: "steps-box", tabindex: "0", role: "region", "aria-label": `Transcript of attempt ${epoch}` }, list);
    const box = element("details", { class: "transcript" }, element("summary", {}, `Transcript: ${counted(total, "step")}`), frame);
    /* Drawn when it is opened: a page of many attempts stays light. */
    box.addEventListener("toggle", () => {
      if (!box.open || list.childElementCount) return;
      list.append(...steps.map(([speaker, name, words]) => element("li", { class: `step-${speaker}` },
        element("span", { class: "speaker" }, [speakers[speaker] ?? speaker, name].filter(Boolean).join(" · ")),
        element("pre", { tabindex: "0" }, words || "(nothing)"))));
    });
    if (isCut || steps.length < total) {
      const href = source.split("/").map(encodeURIComponent).join("/");
      box.append(element("p", { class: "model" }, steps.length < total ? `The first ${steps.length} of ${total} steps, long texts cut. All of it is in ` : "Long texts are cut. All of it is in ", element("a", { href }, source), "."));
    }
    return box;
  }

  function viewer(place) {
    const log = text("log", place);
    if (!log) return null;
    const task = tasks[taskOf(place)], root = data.commands.folder, sample = value("sample", place);
    const within = root && log.startsWith(`${root}/`), cut = log.lastIndexOf("/");
    const file = within ? log.slice(root.length + 1) : log.slice(cut + 1);
    const serve = within ? data.commands.view : `assay view ${quoted(cut < 0 ? "." : log.slice(0, cut))}`;
    /* The sample by its own identifier: a log that was resumed numbers its attempts again. */
    const chosen = sample ? `sample_uuid/${encodeURIComponent(sample)}` : `sample/${encodeURIComponent(task.id)}/${value("epoch", place)}`;
    const href = `http://127.0.0.1:7575/#/logs/${file.split("/").map(encodeURIComponent).join("/")}/samples/${chosen}`;
    return part("Every event of it, in Inspect View", command(serve, "Serve the logs"),
      element("p", { class: "model" }, "then ", element("a", { href, target: "_blank", rel: "noopener noreferrer" }, "open this attempt in Inspect View"),
        `: ${file}, sample ${task.id}, ${sample ?? ""}`));
  }

  function attemptView(place, all) {
    const ended = outcomeOf(place), epoch = value("epoch", place);
    const said = all.length > 1 ? `Attempt ${epoch} of ${all.length}: ${ended}` : ended;
    const view = element("article", { "data-epoch": epoch }, element("h3", { class: `outcome ${ended}`, tabindex: "-1" }, ...outcome(ended, said)));
    const error = text("error", place), verdicts = verdictsOf(place), notices = value("notices", place) ?? [];
    if (error) view.append(part("What stopped it", evidenceBox(whole(error), "What stopped it"), insightView(insightAt(value("lost", place) ?? 0)) ?? ""));
    if (verdicts.length) {
      const met = verdicts.filter((one) => one.status === "met").length;
      view.append(part(`Verdicts: ${met} of ${verdicts.length} met`, ...grouped(verdicts).flatMap(verdictGroup)));
    }
    const way = onTheWay(place);
    if (way) view.append(way);
    const diff = diffView(value("submission", place));
    if (diff) view.append(diff);
    const steps = transcriptView(place);
    if (steps) view.append(steps);
    if (notices.length) {
      const list = element("ul", { class: "notices" });
      for (let at = 0; at < notices.length; at += 2) list.append(element("li", {}, element("code", {}, textsOf("notices", place)[notices[at]]), ` ${whole(textsOf("notices", place)[notices[at + 1]])}`));
      view.append(part("Notices", list));
    }
    view.append(part("Particulars", particulars(place)));
    const graded = value("submission", place) !== null ? "Grade it again" : "Run it again";
    view.append(part(graded, command(remaking(place), graded)));
    const read = viewer(place);
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
    const all = cellOf(taskAt, agentAt), address = location.hash, title = tasks[taskAt].title;
    if (isLoaded(all)) { drawAttempts(taskAt, agentAt, epoch, item); return; }
    const isWanted = () => dialog.open && location.hash === address;
    frame(title, [], element("p", { role: "status" }, "Loading …"));
    loadDetails(all).then(
      () => { if (isWanted()) drawAttempts(taskAt, agentAt, epoch, item); },
      (problem) => { if (isWanted()) frame(title, [], element("p", { role: "alert" }, `${problem.message}. Keep the folder ${data.parts.folder} of this report beside this page, or write the report again: `), command(data.commands.report, "Write the report again")); });
  }

  function drawAttempts(taskAt, agentAt, epoch, item) {
    const task = tasks[taskAt], agent = agents[agentAt], all = cellOf(taskAt, agentAt);
    const nature = [task.suite, task.kind + (task.kind === "masked" && task.n ? `, n = ${task.n} (${task.n === 1 ? "reproduction" : "replication"})` : ""), task.certified ? "certified" : "not certified"];
    const asked = element("details", { class: "asked" }, element("summary", {}, "What was asked"), evidenceBox(whole(data.asked[taskAt] ?? "") || "the log does not say", "What was asked"));
    frame(task.title, [
      element("p", { class: "model" }, element("code", {}, task.id), ` · ${nature.join(" · ")}`),
      element("p", { class: "by" }, "by ", element("b", {}, agent.label), agent.description ? `: ${agent.description}` : "")],
    asked, ...all.map((place) => attemptView(place, all)), element("footer", {}, neighbours(taskAt, agentAt)));
    const chosen = epoch && dialog.querySelector(`article[data-epoch="${CSS.escape(epoch)}"]`);
    if (!chosen) return;
    const told = item && chosen.querySelector(`[data-item="${CSS.escape(item)}"]`);
    if (told) told.open = true;
    told?.closest(".followers")?.setAttribute("open", "");
    (told ?? chosen).scrollIntoView();
  }

