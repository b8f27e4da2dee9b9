  /* Addresses: #task/agent/number/item, #of?… for a number, #pair?… for a difference, #cited?… for a published one, #tasks?… for a filtered grid */
  function follow() {
    const raw = location.hash.slice(1), cut = raw.indexOf("?");
    const name = cut < 0 ? raw : raw.slice(0, cut), query = new URLSearchParams(cut < 0 ? "" : raw.slice(cut + 1));
    const [task, agent, epoch, item] = name.split("/").map((word) => { try { return decodeURIComponent(word); } catch { return word; } });
    const known = taskPlace.has(task) && agentPlace.has(agent) && cellOf(taskPlace.get(task), agentPlace.get(agent));
    if (known) showAttempts(taskPlace.get(task), agentPlace.get(agent), epoch, item);
    else if (name === "of") showBehind(query);
    else if (name === "pair") showPair(query);
    else if (name === "cited") showCited(query);
    else {
      if (dialog.open) dialog.close();
      if (name === "tasks" && cut >= 0) recall(query);
    }
  }

  let opener = null;
  document.addEventListener("click", (event) => { if (!dialog.contains(event.target)) opener = event.target.closest?.("a"); });
  dialog.addEventListener("close", () => {
    const address = location.hash.slice(1);
    if (address.includes("/") || /^(of|pair|cited)\?/.test(address)) remember();
    const leadsHere = (link) => link?.getAttribute("href") === `#${address}`;
    /* Several links may open the same address: focus goes back to the one that was used. */
    const link = leadsHere(opener) ? opener : [...document.querySelectorAll("#grid a, main a")].find(leadsHere);
    (link ?? opener)?.focus();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  window.addEventListener("hashchange", follow);
  document.documentElement.dataset.ready = "";
  follow();
})();
