// What the theme leaves without a name, or out of reach of the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  const name = (selector, text) => {
    for (const element of document.querySelectorAll(selector)) element.setAttribute("aria-label", text);
  };
  name(".md-search[role=dialog]", "Search");
  name(".md-nav--primary", "Pages of the site");
  name(".md-nav--secondary", "Headings of this page");
  const reach = () => {
    for (const block of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .gc-scroll")) {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    }
  };
  reach();
  addEventListener("resize", reach);
});
