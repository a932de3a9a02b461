// What the theme leaves without a name, or out of reach of the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  const name = (selector, text) => {
    for (const element of document.querySelectorAll(selector)) element.setAttribute("aria-label", text);
  };
  name(".md-search[role=dialog]", "Search");
  name(".md-nav--primary", "Pages of the site");
  name(".md-nav--secondary", "Headings of this page");
  for (const section of document.querySelectorAll(".md-nav[data-md-level='1']")) {
    section.setAttribute("aria-label", section.querySelector(".md-nav__title").textContent.trim());
    section.removeAttribute("aria-labelledby"); // the theme's label of a section with a page of its own is empty
  }
  const reach = () => {
    for (const block of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .gc-scroll")) {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    }
  };
  reach();
  addEventListener("resize", reach);
});
