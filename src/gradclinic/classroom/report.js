"use strict";
// Adds to a page that is complete without it: sorting, filtering, unfolding. It builds no HTML from text.
(() => {
  const by = (id) => document.getElementById(id);
  const body = by("grid").tBodies[0];
  const parts = [...document.querySelectorAll("details.learner")];
  const collator = new Intl.Collator("en", { numeric: true });
  const learners = [...body.rows].map((row, place) => ({
    row, place, part: parts[place], id: row.cells[0].querySelector("bdi").textContent,
    text: row.cells[0].textContent.toLowerCase(), cells: [...row.cells].slice(2),
  }));

  // Sorting: ties keep the order of the ids.
  const key = (one, column) => (column ? Number(one.row.cells[column].dataset.p) : one.id);
  const compare = (a, b) => (typeof a === "number" ? a - b : collator.compare(a, b));
  const heads = [...by("grid").tHead.rows[0].cells];
  const sort = (column) => {
    const turn = heads[column].getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
    const ordered = [...learners].sort((a, b) => turn * compare(key(a, column), key(b, column)) || a.place - b.place);
    body.append(...ordered.map((one) => one.row));
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column));
    head.append(button);
  });
  heads[0].setAttribute("aria-sort", "ascending");

  // Filtering: a learner stays if one cell fits state and cause together.
  const [text, exercise, state, cause] = ["f-text", "f-exercise", "f-state", "f-cause"].map(by);
  const fits = (cell) =>
    (!state.value || (state.value === "late" ? "late" in cell.dataset : cell.classList.contains(state.value))) &&
    (!cause.value || (cell.dataset.c || "").split(" ").includes(cause.value));
  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let left = 0;
    for (const one of learners) {
      const cells = exercise.value ? [one.cells[exercise.value]] : one.cells;
      const stays = one.text.includes(wanted) && (!(state.value || cause.value) || cells.some(fits));
      one.row.hidden = one.part.hidden = !stays;
      left += stays;
      one.cells.forEach((cell, column) => cell.classList.toggle(
        "hit", Boolean(state.value || cause.value) && fits(cell) && (!exercise.value || Number(exercise.value) === column)));
    }
    by("f-count").textContent = `${left} of ${learners.length} learners`;
  };
  const form = by("filters");
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  for (const button of document.querySelectorAll("button.only")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      form.reset();
      cause.value = button.dataset.cause;
      filter();
      by("matrix").scrollIntoView();
      cause.focus({ preventScroll: true });
    });
  }
  by("f-count").textContent = `${learners.length} of ${learners.length} learners`;

  // Unfolding.
  const fold = (open) => () => parts.forEach((part) => { if (!part.hidden) part.open = open; });
  by("open-all").addEventListener("click", fold(true));
  by("close-all").addEventListener("click", fold(false));
  document.querySelector(".fold").hidden = false;
  const reveal = () => {
    const target = by(location.hash.slice(1));
    for (let around = target; around; around = around.parentElement) if (around.tagName === "DETAILS") around.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
