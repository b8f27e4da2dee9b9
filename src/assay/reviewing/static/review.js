"use strict";

// Keys, text that is not saved yet, signs of work, and the first marked place of each side.

const root = document.documentElement;
const BEAT = 30000;
let lastAction = Date.now();
let mark = -1;
let busy = false;

const inText = (element) => /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
const page = () => document.querySelector(".field");
const keptKey = (box) =>
  `assay-review/${document.body.dataset.reviewer}/${page().dataset.task}/${page().dataset.field}/${box.id}`;

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  const button = document.getElementById("theme");
  if (button) button.textContent = `Theme: ${theme || "system"}`;
}

function turnTheme() {
  const order = ["", "light", "dark"];
  const theme = order[(order.indexOf(root.dataset.theme || "") + 1) % order.length];
  localStorage.setItem("assay-theme", theme);
  setTheme(theme);
}

function open(name) {
  const box = document.getElementById(name);
  for (const other of document.querySelectorAll("form.box")) other.hidden = other !== box;
  for (const button of document.querySelectorAll("[data-opens]")) {
    button.setAttribute("aria-expanded", String(button.dataset.opens === name));
  }
  const text = box.querySelector("textarea, select");
  text.focus();
  box.scrollIntoView({ block: "nearest" });
}

function showMark(step) {
  const marks = [...document.querySelectorAll(".paper mark")];
  if (!marks.length) return;
  mark = (mark + step + marks.length) % marks.length;
  marks.forEach((element, number) => element.classList.toggle("current", number === mark));
  bring(marks[mark]);
}

function bring(element) {
  const side = element.closest(".side");
  if (getComputedStyle(side).overflowY === "visible") {
    element.scrollIntoView({ block: "center" });
    return;
  }
  const away = element.getBoundingClientRect().top - side.getBoundingClientRect().top;
  side.scrollTop += away - side.clientHeight / 3;
}

function keepText(box) {
  try { localStorage.setItem(keptKey(box), box.value); } catch { /* a full store loses only this copy */ }
}

function restoreText() {
  for (const box of document.querySelectorAll("[data-keep]")) {
    const text = localStorage.getItem(keptKey(box));
    if (text === null || text === box.value) continue;
    box.value = text;
    open(box.form.id);
  }
}

function trouble(text) {
  const place = document.getElementById("trouble");
  place.textContent = text;
  place.hidden = !text;
}

function arrive() {
  setTheme(localStorage.getItem("assay-theme") || "");
  mark = -1;
  lastAction = Date.now();
  if (!page()) { root.dataset.ready = "yes"; return; }
  for (const side of document.querySelectorAll(".side")) {
    const first = side.querySelector("mark, .marked, .evident");
    if (first && getComputedStyle(side).overflowY !== "visible") bring(first);
  }
  restoreText();
  if (!inText(document.activeElement)) document.getElementById("field-title").focus({ preventScroll: true });
  root.dataset.ready = "yes";
}

document.addEventListener("keydown", (event) => {
  lastAction = Date.now();
  const target = event.target;
  if (event.key === "Escape") {
    const shortcuts = document.getElementById("shortcuts");
    if (shortcuts.open) {
      event.preventDefault();
      shortcuts.close();
    } else if (inText(target)) target.blur();
    return;
  }
  if (inText(target)) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.form) {
      event.preventDefault();
      target.form.requestSubmit();
    }
    return;
  }
  // A key that is held down, or pressed while an answer is under way, must not decide the next field unseen.
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || busy) return;
  if (document.getElementById("shortcuts").open) return;
  if (event.key === "[" || event.key === "]") { showMark(event.key === "]" ? 1 : -1); return; }
  const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!control) return;
  event.preventDefault();
  control.click();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "theme") turnTheme();
  if (button.id === "keys") document.getElementById("shortcuts").showModal();
  if (button.classList.contains("close")) document.getElementById("shortcuts").close();
  if (button.dataset.opens) open(button.dataset.opens);
});

document.addEventListener("input", (event) => {
  lastAction = Date.now();
  if (event.target.matches("[data-keep]")) keepText(event.target);
});
for (const name of ["pointermove", "wheel", "touchmove"]) {
  document.addEventListener(name, () => { lastAction = Date.now(); }, { passive: true });
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.matches("form, a")) busy = true;
});
document.addEventListener("htmx:afterRequest", (event) => {
  // The form itself is gone once its answer has replaced the page.
  const form = event.detail.requestConfig?.elt || event.detail.elt;
  if (form.matches("form, a")) busy = false;
  if (!event.detail.xhr || event.detail.xhr.status === 0) {
    if (form.matches("form, a")) trouble("The server does not answer, so nothing was saved. Your text stays in this browser: start `assay review` again and open its new address.");
    return;
  }
  trouble("");
  if (form.matches("form.box") && event.detail.successful && form.dataset.kept) {
    for (const key of JSON.parse(form.dataset.kept)) localStorage.removeItem(key);
  }
});
document.addEventListener("htmx:configRequest", (event) => {
  const form = event.detail.elt;
  if (form.matches("form.box")) {
    form.dataset.kept = JSON.stringify([...form.querySelectorAll("[data-keep]")].map(keptKey));
  }
});
document.addEventListener("htmx:beforeSwap", (event) => {
  // A page without the reviewer is a refusal: it must not replace a page with unsaved text.
  if (event.detail.xhr.status === 403) {
    event.detail.shouldSwap = false;
    trouble("The server was started again. Your text stays in this browser: open the new address that `assay review` printed.");
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target === document.body || event.detail.elt === document.body) arrive();
});

setInterval(() => {
  if (!page() || document.hidden || Date.now() - lastAction > 2 * BEAT) return;
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const body = new URLSearchParams({ task: page().dataset.task, field: page().dataset.field });
  fetch("/active", { method: "POST", headers, body }).catch(() => {});
}, BEAT);

arrive();
