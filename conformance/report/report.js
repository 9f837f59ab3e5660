"use strict";
// Adds what the page does not need: a filter for the findings, tables that sort, buttons that copy, newest runs in sight.
(() => {
  const form = document.querySelector("form.filter");
  const items = [...document.querySelectorAll("[data-finding]")].map((element) => ({ element, text: null }));
  const FIELDS = form ? [...form.elements].map((field) => field.name).filter(Boolean) : [];

  const text = (item) => (item.text ??= item.element.textContent.toLowerCase());

  // A row of the scoreboard has several models, "a|b".
  const has = (values, value) => values === value || (values ?? "").split("|").includes(value);

  const matches = (item, words, wanted) =>
    Object.entries(wanted).every(([name, value]) => !value || has(item.element.dataset[name], value)) &&
    words.every((word) => text(item).includes(word));

  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = Object.fromEntries(FIELDS.filter((name) => name !== "words").map((name) => [name, form.elements[name].value]));
    let found = 0;
    for (const item of items) {
      const is_found = matches(item, words, wanted);
      found += is_found ? 1 : 0;
      item.element.hidden = !is_found;
    }
    for (const aside of document.querySelectorAll("details.aside")) {
      aside.hidden = !aside.querySelector("[data-finding]:not([hidden])");
    }
    const all = items.length.toLocaleString("en");
    form.querySelector("output").value = found === items.length ? "" : `${found.toLocaleString("en")} of ${all} found`;
  };

  // The filter stands in the address, after "#?", which no finding's name begins with.
  const remember = () => {
    const chosen = FIELDS.map((name) => [name, form.elements[name].value]).filter(([, value]) => value);
    const bare = document.getElementById("findings") ? "#findings" : location.pathname + location.search;
    const address = chosen.length ? `#?${new URLSearchParams(chosen)}` : bare;
    if (chosen.length || location.hash.startsWith("#?")) history.replaceState(null, "", address);
  };

  const restore = () => {
    const given = new URLSearchParams(location.hash.slice(2));
    for (const name of FIELDS) {
      const field = form.elements[name];
      field.value = given.get(name) ?? "";
      if (field.selectedIndex === -1) field.value = "";
    }
    filter();
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

  // A link leads to a finding even while it is folded, the filter hides it, or its anchor is only text.
  const reveal = () => {
    if (location.hash.startsWith("#?")) return restore();
    const id = location.hash.slice(1);
    const target = id && (document.getElementById(id) ?? counted(id));
    if (!target) return;
    const item = target.closest("[data-finding]");
    if (item?.hidden) {
      form.reset();
      filter();
    }
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    (item ?? target).scrollIntoView();
  };

  // --- tables that sort

  const number = /^[^\d+-]{0,2}([+-]?\d[\d,]*(?:\.\d+)?)/;

  const key = (cell) => {
    const given = cell?.dataset.sort ?? cell?.textContent.trim() ?? "";
    const found = cell?.matches("td") ? number.exec(given) : null;
    return found ? Number(found[1].replaceAll(",", "")) : given;
  };

  const sort = (table, column, head) => {
    const is_down = head.getAttribute("aria-sort") !== "descending" && head.dataset.first !== "ascending"
      || head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", is_down ? "descending" : "ascending");
    head.dataset.first = is_down ? "ascending" : "";
    const collator = new Intl.Collator("en", { numeric: true });
    const compare = (one, other) => (typeof one === "number" && typeof other === "number")
      ? one - other
      : collator.compare(String(one), String(other));
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => ({ row, key: key(row.cells[column]) }));
      rows.sort((one, other) => (is_down ? -1 : 1) * compare(one.key, other.key));
      body.append(...rows.map(({ row }) => row));
    }
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, column, head));
      head.append(button);
    });
  }

  // --- buttons that copy

  const copy = async (button, pre) => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      for (let at = pre.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = button.dataset.name; }, 2000);
  };

  for (const pre of document.querySelectorAll(".replay pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = button.dataset.name = pre.dataset.copy ?? "Copy";
    button.addEventListener("click", () => copy(button, pre));
    pre.after(button);
    const folded = pre.dataset.copy && pre.closest("details");
    if (folded) folded.before(button);
  }

  // Where not all runs have room, the newest are seen, which stand last.
  for (const box of document.querySelectorAll(".newest-last")) box.scrollLeft = box.scrollWidth;

  if (form) {
    form.hidden = false;
    form.addEventListener("input", () => { filter(); remember(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", reveal);
    filter();
    reveal();
  }
})();
