// Slides: keys, a bar with buttons, notes, and a second window for whoever speaks. Without it the slides are a long page.
(() => {
  // The scheme that the reader has chosen on the site, or else that of the system.
  const chosen = () => {
    try {
      const key = Object.keys(localStorage).find((name) => name.endsWith(".__palette"));
      return JSON.parse(localStorage.getItem(key)).color.scheme;
    } catch {
      return matchMedia("(prefers-color-scheme: dark)").matches ? "slate" : "default";
    }
  };
  document.body.dataset.mdColorScheme = chosen();
  const isSpeaker = location.search === "?speaker";
  document.body.classList.toggle("speaker", isSpeaker);

  document.addEventListener("DOMContentLoaded", () => {
    const slides = [...document.querySelectorAll(".slide")];
    let at = 0;
    let other = isSpeaker ? opener : null;

    const make = (tag, properties, ...children) => {
      const element = Object.assign(document.createElement(tag), properties);
      element.append(...children);
      return element;
    };
    const button = (text, name, act) => {
      const made = make("button", { type: "button", textContent: text, onclick: act });
      made.setAttribute("aria-label", name);
      return made;
    };

    // As large as all of it can be seen, and no line of a program breaks.
    const isWhole = (box) => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;
    const fit = () => {
      for (const stage of document.querySelectorAll(".stage")) {
        const boxes = [stage, ...stage.querySelectorAll("pre")];
        for (let size = 1.3; size > 0.4; size -= 0.04) {
          stage.style.setProperty("--fit", size.toFixed(2));
          if (boxes.every(isWhole)) break;
        }
      }
    };
    for (const picture of document.querySelectorAll(".slide .gc-graph")) {
      picture.style.width = `${picture.viewBox.baseVal.width * 0.075}rem`;
    }

    const count = make("span", { className: "count" });
    const bar = make("div", { className: "bar" });
    const notes = make("aside", { className: "shown-notes", hidden: !isSpeaker, tabIndex: 0 });
    notes.setAttribute("aria-label", "Notes");
    const notesButton = button("Notes", "Notes (N)", () => showNotes(notes.hidden));
    const showNotes = (shown) => {
      notes.hidden = !shown;
      notesButton.setAttribute("aria-expanded", String(shown));
    };
    showNotes(isSpeaker);
    const openSpeaker = () => {
      other = open(`?speaker#${at + 1}`, "speaker", "popup,width=1200,height=760");
    };
    const controls = make(
      "nav",
      { className: "controls" },
      button("‹", "The slide before", () => go(at - 1)),
      count,
      button("›", "The next slide", () => go(at + 1)),
      notesButton,
      ...(isSpeaker ? [] : [button("Speaker", "Open the speaker's window (S)", openSpeaker)]),
    );
    controls.setAttribute("aria-label", "Slides");
    document.body.append(notes, controls, bar);

    const here = () => {
      const beat = slides[at].dataset.beat;
      const told = slides.find((slide) => slide.dataset.beat === beat).querySelector(".notes");
      notes.replaceChildren(
        make("h2", { textContent: beat ? `Notes: ${beat}` : "Notes" }),
        ...(told ? [...told.cloneNode(true).childNodes] : [make("p", { textContent: "None here." })]),
      );
      count.textContent = `${at + 1} / ${slides.length}`;
      bar.style.width = `${(100 * (at + 1)) / slides.length}%`;
      history.replaceState(null, "", `#${at + 1}`);
      other?.postMessage({ slide: at }, "*"); // files have no origin to name
    };
    const go = (to) => {
      at = Math.min(Math.max(to, 0), slides.length - 1);
      slides[at].scrollIntoView({ block: "start", behavior: "instant" });
      slides[at].focus({ preventScroll: true });
      here();
    };
    addEventListener("message", (event) => {
      if (!other || event.source !== other) return;
      if (Number.isInteger(event.data.slide) && event.data.slide !== at) go(event.data.slide);
    });
    // Whoever scrolls by wheel or finger is on another slide as well.
    addEventListener("scroll", () => {
      const seen = slides.findIndex((slide) => slide.getBoundingClientRect().bottom > slide.clientHeight / 2);
      if (seen === at) return;
      at = seen;
      here();
    });

    const moves = {
      ArrowRight: () => go(at + 1),
      ArrowDown: () => go(at + 1),
      PageDown: () => go(at + 1),
      " ": () => go(at + 1),
      ArrowLeft: () => go(at - 1),
      ArrowUp: () => go(at - 1),
      PageUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(slides.length - 1),
      n: () => showNotes(notes.hidden),
      s: () => isSpeaker || openSpeaker(),
    };
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const move = moves[event.key];
      if (!move || (event.key === " " && event.target.matches("button, a"))) return;
      event.preventDefault();
      move();
    });

    fit();
    go(Number(location.hash.slice(1)) - 1 || 0);
    document.fonts.ready.then(fit);
    addEventListener("resize", () => slides[at].scrollIntoView({ behavior: "instant" }));
  });
})();
