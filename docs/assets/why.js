// "Why is it None?", one question at a time. The list on the page holds all of it; a step's address is its #id.
document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".why");
  if (!list) return;

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const copied = (element) => [...element.cloneNode(true).childNodes];
  const first = list.querySelector(".why-step").id;
  const stepAt = (hash) => {
    const step = document.getElementById(hash.slice(1));
    return step && step.matches(".why .why-step") ? step : null;
  };
  const choicesOf = (step) => [...step.closest("li").querySelectorAll(":scope > ul > li > .why-said")];

  // The answers that lead to a step, as [id of the question, number of the answer]. Whoever came by an address gets
  // those that the step is listed under.
  const listedUnder = (step) => {
    const trail = [];
    for (let item = step.closest("li"); ; ) {
      const before = item.parentElement.closest("li");
      if (!before || !list.contains(before)) return trail;
      const question = before.querySelector(":scope > .why-step");
      trail.unshift([question.id, choicesOf(question).indexOf(item.querySelector(":scope > .why-said"))]);
      item = before;
    }
  };

  const panel = make("section", { className: "why-panel" });
  panel.setAttribute("aria-labelledby", "why-heading");
  const whole = make("button", { className: "why-button why-whole", type: "button" });
  const showList = (shown) => {
    list.hidden = !shown;
    whole.textContent = shown ? "Hide the list of all questions" : "Show all questions as a list";
    whole.setAttribute("aria-expanded", String(shown));
  };
  whole.addEventListener("click", () => showList(list.hidden));

  const link = (id, trail, properties, ...children) => {
    const anchor = make("a", { href: `#${id}`, ...properties }, ...children);
    anchor.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      history.pushState({ trail }, "", `#${id}`);
      show(document.getElementById(id), trail);
      focus();
    });
    return anchor;
  };
  const copyButton = (name, text) => {
    const button = make("button", { className: "why-button", type: "button", textContent: name });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    });
    button.setAttribute("aria-live", "polite");
    return navigator.clipboard ? [button] : [];
  };

  const show = (step, trail) => {
    const isEnd = !step.querySelector(":scope > .why-ask");
    const name = step.querySelector(isEnd ? ".why-name" : ".why-ask");
    const page = isEnd && name.querySelector("a");
    const heading = make("h3", { id: "why-heading", tabIndex: -1 });
    heading.append(...(isEnd && page ? ["The cause: ", ...copied(page)] : copied(name)));
    const parts = [heading];
    const way = make("nav");
    if (trail.length) {
      const answers = trail.map(([id, chosen], at) => {
        const question = document.getElementById(id);
        const asked = link(id, trail.slice(0, at), {}, ...copied(question.querySelector(".why-ask")));
        return make("li", {}, asked, " ", ...copied(choicesOf(question)[chosen]));
      });
      way.append(make("ol", { className: "why-trail" }, ...answers));
      way.setAttribute("aria-label", "Your answers");
    }
    const line = step.querySelector(":scope > .why-line");
    if (line) {
      const code = line.querySelector("code").cloneNode(true);
      parts.push(make("div", { className: "why-line" }, code, ...copyButton("Copy", () => code.textContent)));
    }
    const note = step.querySelector(":scope > .why-note");
    if (note) parts.push(make("p", { className: "why-note" }, ...copied(note)));
    if (isEnd) {
      const open = { className: "why-open", textContent: "Its page: the program, the reason, the fix" };
      if (page) parts.push(make("p", {}, make("a", { href: page.href, ...open })));
    } else {
      const choices = choicesOf(step).map((said, chosen) =>
        make("li", {}, link(said.dataset.to, [...trail, [step.id, chosen]], {}, ...copied(said))),
      );
      parts.push(make("p", { className: "why-prompt", textContent: "Run it. What does it show?" }));
      parts.push(make("ul", { className: "why-choices" }, ...choices));
    }
    const tools = make("p", { className: "why-tools" });
    if (trail.length) {
      tools.append(link(trail.at(-1)[0], trail.slice(0, -1), { className: "why-back" }, "Back"));
      tools.append(link(first, [], { className: "why-again" }, "Start again"));
    }
    tools.append(...copyButton("Copy the address of this step", () => new URL(`#${step.id}`, location.href).href));
    panel.replaceChildren(...parts, tools, ...(trail.length ? [way] : []));
  };
  // The heading gets the focus, so that the next question is read out, and the next Tab reaches its answers.
  const focus = () => {
    panel.scrollIntoView({ block: "nearest" });
    document.getElementById("why-heading").focus();
  };
  const follow = () => {
    const step = stepAt(location.hash);
    const shown = step || document.getElementById(first);
    show(shown, history.state?.trail ?? listedUnder(shown));
    if (!step) return;
    if (document.readyState === "complete") setTimeout(focus); // after the browser has looked for the #id itself
    else addEventListener("load", () => setTimeout(focus));
  };

  list.before(panel, whole);
  showList(false);
  follow();
  addEventListener("popstate", follow);
});
