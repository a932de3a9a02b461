// The forward and the backward pass over a picture, one step at a time. The list of steps on the page holds all of it.
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll(".gc-figure:has(.gc-steps)")) {
    const list = figure.querySelector(".gc-steps");
    const picture = figure.querySelector(".gc-graph");
    const nodes = [...picture.querySelectorAll(".gc-node")];
    const edges = [...picture.querySelectorAll(".gc-edge")].map((line) =>
      line.nextElementSibling?.matches(".gc-head, .gc-cross, .gc-doubt") ? [line, line.nextElementSibling] : [line],
    );
    const numbers = (text) => text.split(" ").filter(Boolean);
    const steps = [...list.querySelectorAll("li")].map((item) => ({
      text: item.textContent,
      pass: item.textContent.split(",")[0],
      parts: [
        ...numbers(item.dataset.nodes).map((at) => nodes[at]),
        ...numbers(item.dataset.edges).flatMap((at) => edges[at]),
      ],
    }));
    let at = -1; // no step: the whole picture

    const said = document.createElement("p");
    said.className = "gc-said";
    said.setAttribute("role", "status");
    const button = (name, by) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = name;
      made.addEventListener("click", () => go(at + by));
      return made;
    };
    const back = button("◂ Back", -1);
    const on = button("Next ▸", 1);
    const tools = document.createElement("div");
    tools.className = "gc-stepper";
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", "Step through the graph");
    tools.append(back, on, said);

    const go = (to) => {
      at = Math.min(Math.max(to, -1), steps.length - 1);
      const step = steps[at];
      for (const part of [...nodes, ...edges.flat()]) part.classList.remove("gc-now", "gc-past");
      picture.classList.toggle("gc-stepping", Boolean(step));
      picture.classList.toggle("gc-backward", step?.pass === "Backward");
      for (const { pass, parts } of steps.slice(0, at + 1)) {
        if (pass === step.pass) for (const part of parts) part.classList.add("gc-past");
      }
      for (const part of step?.parts ?? []) part.classList.add("gc-now");
      said.textContent = step?.text ?? `The whole picture. It has ${steps.length} steps: forward, then backward.`;
      back.setAttribute("aria-disabled", String(at < 0)); // not `disabled`, which would take the focus away
      on.setAttribute("aria-disabled", String(at === steps.length - 1));
    };
    tools.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: -1, End: steps.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      go(to);
    });
    go(-1);
    figure.querySelector(".gc-scroll").after(tools);
    list.hidden = true;
  }
});
