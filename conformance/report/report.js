"use strict";
// Adds what the page does not need: a filter for the findings, and buttons that copy the replay commands.
(() => {
  const form = document.querySelector("form.filter");
  const items = [...document.querySelectorAll("[data-finding]")].map((element) => ({ element, text: null }));

  const text = (item) => (item.text ??= item.element.textContent.toLowerCase());

  const matches = (item, words, status, severity) =>
    (!status || item.element.dataset.status === status) &&
    (!severity || item.element.dataset.severity === severity) &&
    words.every((word) => text(item).includes(word));

  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const status = form.elements.status.value;
    const severity = form.elements.severity.value;
    let shown = 0;
    for (const item of items) {
      item.element.hidden = !matches(item, words, status, severity);
      shown += item.element.hidden ? 0 : 1;
    }
    const all = items.length.toLocaleString("en");
    form.querySelector("output").value = shown === items.length ? "" : `${shown.toLocaleString("en")} of ${all} shown`;
  };

  // A link from the matrix leads to a finding even while the filter hides it.
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.hidden) {
      form.reset();
      filter();
      target.scrollIntoView();
    }
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", reveal);
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
