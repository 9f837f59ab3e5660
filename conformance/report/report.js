"use strict";
// Adds what the page does not need: pages and a filter for the findings, and buttons that copy the commands.
(() => {
  const form = document.querySelector("form.filter");
  const items = [...document.querySelectorAll("[data-finding]")].map((element) => ({ element, text: null }));

  const text = (item) => (item.text ??= item.element.textContent.toLowerCase());

  const PAGE = 25;
  let most = PAGE;

  const matches = (item, words, wanted) =>
    Object.entries(wanted).every(([name, value]) => !value || item.element.dataset[name] === value) &&
    words.every((word) => text(item).includes(word));

  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  more.addEventListener("click", () => { most += PAGE; filter(); });
  document.getElementById("detailed")?.after(more);

  // Rows of the table are all shown that match; of the sections only those of the first pages.
  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = Object.fromEntries(["status", "weight", "severity", "subject"].map((name) => [name, form.elements[name].value]));
    let found = 0, sections = 0;
    for (const item of items) {
      const is_found = matches(item, words, wanted);
      found += is_found ? 1 : 0;
      const is_section = item.element.localName === "article";
      sections += is_found && is_section ? 1 : 0;
      item.element.hidden = !is_found || (is_section && sections > most);
    }
    more.hidden = sections <= most;
    more.textContent = `Show ${Math.min(PAGE, sections - most)} more of ${sections.toLocaleString("en")}`;
    const all = items.length.toLocaleString("en");
    form.querySelector("output").value = found === items.length ? "" : `${found.toLocaleString("en")} of ${all} found`;
  };

  // Anchors of findings that are only counted are kept as text, since a hundred thousand elements are slow to open.
  const counted = (id) => {
    const stored = [...document.querySelectorAll(".rest noscript")]
      .find((element) => element.textContent.includes(`<i id="${id}">`));
    if (!stored) return null;
    const anchor = document.createElement("i");
    anchor.id = id;
    anchor.className = "found";
    stored.after(anchor);
    return anchor;
  };

  // A link leads to a finding even while the filter hides it, or while its anchor is only text.
  const reveal = () => {
    const id = location.hash.slice(1);
    const known = id && document.getElementById(id);
    const target = known || (id && counted(id));
    const folded = target && target.closest("details.aside:not([open])");
    if (folded) folded.open = true;
    if (!target || (target === known && !target.hidden && !folded)) return;
    if (target.hidden) {
      form.reset();
      most = items.length;
      filter();
    }
    target.scrollIntoView();
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("input", () => { most = PAGE; filter(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", reveal);
    window.addEventListener("beforeprint", () => { most = items.length; filter(); });
    filter();
    reveal();
  }

  const copy = async (button, pre) => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };

  for (const pre of document.querySelectorAll(".replay pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(button, pre));
    pre.after(button);
  }
})();
