"use strict";
// Asks for the progress every second, and shows it; what it says is only ever set as text.
(() => {
  const MILLISECONDS = 1000;
  const MOST_FAILURES = 5;
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const by_id = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  let failures = 0;
  let shown = "";

  const row = (cells) => {
    const made = document.createElement("tr");
    cells.forEach(({ text, name = "td", class_name = "", code = false }) => {
      const cell = document.createElement(name);
      if (name === "th") cell.scope = "row";
      cell.className = class_name;
      const inside = code ? cell.appendChild(document.createElement("code")) : cell;
      if (code) inside.className = "isolate";
      inside.textContent = text;
      made.append(cell);
    });
    return made;
  };

  // A line from left to right over the time, from 0 to the greatest value.
  const draw = (svg, points, most) => {
    const last = points.at(-1)?.[0] || 1;
    const line = document.createElementNS(NAMESPACE, "polyline");
    const places = points.map(([seconds, value]) => `${(300 * seconds) / last},${98 - (96 * value) / (most || 1)}`);
    line.setAttribute("points", places.join(" "));
    svg.replaceChildren(line);
  };

  const show = (progress) => {
    by_id("headline").textContent = progress.headline;
    document.title = `${progress.headline} · tokenizer conformance`;
    by_id("state").textContent = progress.doing;
    by_id("cases").textContent = number(progress.cases);
    by_id("rate").textContent = number(progress.rate);
    by_id("unexpected").textContent = number(progress.unexpected);
    by_id("known").textContent = number(progress.known);
    by_id("time").textContent = progress.time;
    const rates = progress.samples.map(([seconds, rate]) => [seconds, rate]);
    const covered = progress.samples.map(([seconds, , share]) => [seconds, share]);
    const fastest = Math.max(1, ...rates.map(([, rate]) => rate));
    draw(by_id("rate-chart"), rates, fastest);
    draw(by_id("coverage-chart"), covered, 100);
    by_id("rate-range").textContent = `0 to ${number(fastest)}, over ten seconds or more`;
    document.querySelectorAll(".axis-end").forEach((end) => { end.textContent = progress.time; });
    by_id("coverage-range").textContent = covered.length ? `0 to 100 % of all that the models have, ${covered.at(-1)[1]} % now` : "";
    by_id("found").replaceChildren(...progress.found.map((cause) => row([
      { text: cause.severity, class_name: "new" },
      { text: cause.place },
      { text: cause.rule },
      { text: cause.input, code: true },
      { text: number(cause.count), class_name: "number" },
    ])));
    const left = progress.unexpected - progress.found.length;
    by_id("more").textContent = left > 0 ? `and ${number(left)} more` : "";
    by_id("coverage").replaceChildren(...progress.coverage.map((kind) => row([
      { text: kind.model, name: "th" },
      { text: kind.kind },
      { text: number(kind.reached), class_name: "number" },
      { text: number(kind.total), class_name: "number" },
      { text: kind.missing, class_name: "missing", code: true },
    ])));
  };

  const ask = async () => {
    try {
      const answer = await fetch("progress.json", { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const text = await answer.text();
      failures = 0;
      if (text !== shown) show(JSON.parse(text));
      shown = text;
    } catch {
      failures += 1;
      by_id("state").textContent = "The session does not answer: it has ended, and its folder has the report.";
      by_id("state").className = "small ended";
    }
    if (failures < MOST_FAILURES) setTimeout(ask, MILLISECONDS);
  };

  ask();
})();
