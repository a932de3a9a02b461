// Predictions become a quiz, and hints open one at a time. Answers stay in this browser, in one entry of its storage.
// Without this script a lesson shows the choices as a list, with the answer and all hints folded below.
"use strict";
(() => {
  const KEY = "gradclinic.predictions.v1";
  const FORMAT = "gradclinic predictions, version 1";
  const LONGEST_FILE = 100_000; // bytes
  const questions = typeof gradclinicQuestions === "undefined" ? [] : gradclinicQuestions;
  const known = new Set(questions.map((question) => question.id));

  // ---- What is kept: a Map of lesson id -> {choice: its words, right: boolean}

  let answers = new Map();
  let browserKeeps = true;

  const isAnswer = (id, answer) =>
    known.has(id) && answer !== null && typeof answer === "object" && typeof answer.right === "boolean" &&
    typeof answer.choice === "string" && answer.choice.length > 0 && answer.choice.length <= 1000;
  const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  function read() {
    let stored;
    try {
      stored = localStorage.getItem(KEY);
    } catch {
      browserKeeps = false; // storage is switched off: what was answered lives as long as this page
      return;
    }
    if (!browserKeeps) return;
    let found = null;
    try {
      found = JSON.parse(stored);
    } catch {} // damaged: as if nothing had been answered
    const entries = isTable(found) ? Object.entries(found) : [];
    answers = new Map(entries.filter(([id, answer]) => isAnswer(id, answer)));
  }

  function write() {
    try {
      if (answers.size) localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(answers)));
      else localStorage.removeItem(KEY);
      browserKeeps = true;
    } catch {
      browserKeeps = false;
    }
    draw();
  }

  // ---- Small helpers

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

  const copyOf = (element) => [...element.childNodes].map((node) => node.cloneNode(true));
  const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

  // The navigation knows where a lesson is, with and without index.html.
  function linkTo({ id, title }) {
    const ends = new RegExp(`/lessons/${id}(?:/|/index\\.html|\\.html)$`);
    const found = [...document.querySelectorAll("nav a[href], main a[href]")].find((a) => ends.test(a.pathname));
    return found ? make("a", { href: found.href.replace(/#.*/, "") }, title) : document.createTextNode(title);
  }

  // ---- The quiz of a lesson

  const drawings = []; // functions that show what `answers` says now
  const draw = () => drawings.forEach((drawing) => drawing());

  function quiz(block) {
    const id = block.dataset.lesson;
    const right = Number(block.dataset.right);
    const list = block.querySelector(":scope > ul");
    const told = block.querySelector(":scope > details");
    const asked = block.querySelector(":scope > .gc-ask");
    const run = document.querySelector("details.gc-run");
    const because = [...told.querySelectorAll(".gc-because")];
    const words = [...list.children].map((item) => {
      item.querySelector("strong").remove(); // the letter
      const text = make("span", {}, ...copyOf(item.querySelector("p") ?? item));
      text.normalize();
      text.firstChild.textContent = text.firstChild.textContent.trimStart();
      return text;
    });

    const inputs = words.map((_, i) => make("input", { type: "radio", name: "gc-choice", value: i, required: true }));
    const marks = words.map(() => make("span", { class: "gc-mark" }));
    const rows = words.map((text, i) => make("label", { class: "gc-choice" }, inputs[i], text, marks[i]));
    const choices = make("fieldset", {}, make("legend", {}, ...copyOf(asked)), ...rows);
    const button = make("button", { class: "gc-button" });
    const feedback = make("div", { class: "gc-feedback", "aria-live": "polite" });
    const form = make("form", { class: "gc-quiz", id: "predict-quiz", onsubmit: submit }, choices, button, feedback);

    function submit(event) {
      event.preventDefault();
      read();
      if (shown >= 0) {
        answers.delete(id);
        write();
        inputs[0].focus();
      } else {
        const chosen = inputs.findIndex((input) => input.checked);
        answers.set(id, { choice: words[chosen].textContent, right: chosen === right });
        write();
      }
    }

    function say(chosen) {
      const reason = (i) => make("p", {}, ...copyOf(because[i]));
      if (chosen === right) return [make("p", {}, make("strong", {}, "✓ Right.")), reason(right)];
      const measured = make("p", {}, make("strong", {}, "Measured in this build: "), ...copyOf(words[right]), ".");
      return [make("p", {}, make("strong", {}, "✗ Not this one.")), reason(chosen), measured, reason(right)];
    }

    // The question may have changed since it was answered.
    const before = answers.get(id);
    const still = words.findIndex((text) => text.textContent === before?.choice);
    if (before && still < 0) answers.delete(id);
    else if (before) before.right = still === right;

    let shown = null; // the index of the answer on the page, -1 for none
    drawings.push(() => {
      const chosen = words.findIndex((text) => text.textContent === answers.get(id)?.choice);
      if (chosen === shown) return;
      shown = chosen;
      const answered = chosen >= 0;
      choices.disabled = answered;
      form.classList.toggle("gc-answered", answered);
      button.textContent = answered ? "Predict again" : "Check my prediction";
      rows.forEach((row, i) => {
        inputs[i].checked = i === chosen;
        row.classList.toggle("gc-right", answered && i === right);
        row.classList.toggle("gc-wrong", i === chosen && i !== right);
        const mark = i === right ? "✓ measured" : i === chosen ? "✗ your prediction" : "";
        marks[i].textContent = !answered ? "" : i === chosen && i === right ? "✓ your prediction" : mark;
      });
      feedback.className = `gc-feedback ${!answered ? "" : chosen === right ? "gc-right" : "gc-wrong"}`;
      feedback.replaceChildren(...(answered ? say(chosen) : []));
      told.hidden = !answered;
      told.open &&= answered;
      if (run) run.open = answered;
    });
    told.querySelector("summary").textContent = "All the answers, each with its reason";
    list.hidden = asked.hidden = true;
    list.before(form);
  }

  // ---- How far the reader is

  const count = () => [answers.size, [...answers.values()].filter((answer) => answer.right).length];

  function summary() {
    const [done, right] = count();
    if (!done) return "No prediction made yet";
    return `${done} of ${counted(questions.length, "prediction")} answered, ${right} right`;
  }

  function lessonLine(place, id) {
    const said = make("p");
    place.append(said);
    drawings.push(() => {
      const answer = answers.get(id);
      const here = answer ? (answer.right ? "✓ right" : "✗ not right") : "not made yet";
      const link = make("a", { href: "#predict-quiz" }, "Your prediction");
      said.replaceChildren(link, `: ${here}${answers.size ? ` · ${summary()}` : ""}`);
    });
  }

  function panel(place) {
    const said = make("p");
    const dots = make("p", { class: "gc-dots", "aria-hidden": "true" });
    const status = make("p", { class: "gc-status", role: "status" });
    const file = make("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: bringIn });
    const exporting = make("button", { type: "button", onclick: takeOut }, "Export");
    const importing = make("button", { type: "button", onclick: () => file.click() }, "Import");
    const reset = make("button", { type: "button", onclick: forget, onblur: calm, onkeydown: escape }, "Reset");
    let sure = false;

    function takeOut() {
      const text = JSON.stringify({ format: FORMAT, answers: Object.fromEntries(answers) }, null, 1);
      const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      make("a", { href: address, download: "gradclinic-predictions.json" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      status.textContent = `${counted(answers.size, "answer")} written to gradclinic-predictions.json.`;
    }

    async function bringIn() {
      const [given] = file.files;
      if (!given) return;
      try {
        status.textContent = take(given.size > LONGEST_FILE ? null : await given.text());
      } catch {
        status.textContent = "Nothing was imported: the file could not be read.";
      }
      file.value = ""; // the same file may be chosen again
    }

    function forget() {
      if (sure) {
        answers = new Map();
        write();
        status.textContent = "All answers are forgotten.";
        importing.focus();
      } else {
        sure = true;
        reset.textContent = `Yes, forget ${counted(answers.size, "answer")}`;
        status.textContent = "This cannot be undone. Press the same button again to forget them, or Escape to keep them.";
      }
    }

    function calm() {
      if (sure) status.textContent = "";
      sure = false;
      reset.textContent = "Reset";
    }

    function escape(event) {
      if (event.key === "Escape" && sure) {
        calm();
        status.textContent = "Kept.";
      }
    }

    drawings.push(() => {
      const next = questions.find((question) => !answers.has(question.id));
      const lead = answers.size ? "Continue with " : "Start with ";
      said.replaceChildren(make("strong", {}, `${summary()}.`), ...(next ? [` ${lead}`, linkTo(next), "."] : []));
      const dot = ({ id }) => (answers.has(id) ? (answers.get(id).right ? "right" : "wrong") : "open");
      const sign = { right: "✓", wrong: "✗", open: "" };
      dots.replaceChildren(...questions.map((q) => make("span", { class: `gc-dot gc-${dot(q)}` }, sign[dot(q)])));
      exporting.hidden = reset.hidden = answers.size === 0;
      const kept = "Your answers stay in this browser.";
      const lost = "This browser keeps nothing: your answers are gone when you leave the page. Export them.";
      where.textContent = browserKeeps ? kept : lost;
    });
    const where = make("span", { class: "gc-where" });
    const controls = make("div", { class: "gc-controls" }, exporting, importing, reset, where, file);
    place.append(make("section", { "aria-label": "Your predictions" }, said, dots, controls, status));
  }

  // The words that tell what came of an import; `text` is null when the file is too long to be one of ours.
  function take(text) {
    const no = "Nothing was imported: ";
    if (text === null) return `${no}the file is larger than ${LONGEST_FILE / 1000} kB, so it is no file of predictions.`;
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      return `${no}the file is not JSON, or a part of it is missing. Export it once more.`;
    }
    if (!isTable(found) || typeof found.format !== "string" || !isTable(found.answers)) {
      return `${no}this is another kind of file. Choose one that Export has written.`;
    }
    if (found.format !== FORMAT) return `${no}the file is “${found.format.slice(0, 60)}”, and this site reads “${FORMAT}”.`;
    const entries = Object.entries(found.answers);
    const good = entries.filter(([id, answer]) => isAnswer(id, answer));
    const bad = entries.filter(([id, answer]) => !isAnswer(id, answer)).map(([id]) => `“${id.slice(0, 40)}”`);
    read();
    for (const [id, { choice, right }] of good) answers.set(id, { choice, right });
    write();
    const more = bad.length > 3 ? ` and ${bad.length - 3} more` : "";
    const left = bad.length ? ` Left out: ${bad.slice(0, 3).join(", ")}${more}, which no lesson here can use.` : "";
    return `${counted(good.length, "answer")} imported.${left}`;
  }

  // In the index of lessons each line says what became of its prediction.
  function indexMarks() {
    for (const question of questions) {
      const ends = new RegExp(`/lessons/${question.id}(?:/|/index\\.html|\\.html)$`);
      for (const link of document.querySelectorAll(".md-content table a")) {
        if (!ends.test(link.pathname)) continue;
        const mark = make("span", { class: "gc-mark" });
        link.after(" ", mark);
        drawings.push(() => {
          const answer = answers.get(question.id);
          mark.textContent = answer ? (answer.right ? "✓ predicted right" : "✗ predicted wrong") : "";
          mark.className = `gc-mark ${answer ? (answer.right ? "gc-right" : "gc-wrong") : ""}`;
        });
      }
    }
  }

  // ---- Hints: each waits for the one before

  function hintsInTurn() {
    const hints = [...document.querySelectorAll("details.gc-hint")];
    hints.slice(1).forEach((hint, i) => {
      const title = hint.querySelector("summary");
      const note = make("span", { class: "gc-locked" }, ` · open hint ${i + 1} first`);
      const wait = (event) => event.preventDefault();
      title.append(note);
      title.setAttribute("aria-disabled", "true");
      title.addEventListener("click", wait);
      hints[i].addEventListener("toggle", () => {
        title.removeEventListener("click", wait);
        title.removeAttribute("aria-disabled");
        note.remove();
      }, { once: true });
    });
  }

  const places = document.querySelectorAll(".gc-progress");
  const blocks = document.querySelectorAll(".gc-predict");
  read();
  blocks.forEach(quiz);
  if (questions.length) {
    for (const place of places) {
      place.hidden = false;
      if (blocks.length) lessonLine(place, blocks[0].dataset.lesson);
      else panel(place);
    }
    if (places.length && !blocks.length) indexMarks();
  }
  hintsInTurn();
  draw();
  const again = () => {
    read();
    draw();
  };
  addEventListener("storage", again); // another tab
  addEventListener("pageshow", (event) => event.persisted && again()); // back from a lesson
})();
