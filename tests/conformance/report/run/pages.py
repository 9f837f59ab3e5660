"""Pages in a browser, and what is asked of each: contrast, and the rules of axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIZES = [(1280, 900), (390, 800)]
SCHEMES = ["light", "dark"]

# Every text that is seen, whose computed colours have a lower contrast than WCAG 2.2 AA asks (1.4.3).
LOW_CONTRAST = """() => {
  const channels = (colour) => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
  };
  const luminance = (rgb) => rgb
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { rgb, alpha } = channels(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return rgb;
      if (alpha !== 0) return [128, 128, 128];
    }
    return [255, 255, 255];
  };
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const hidden = element.closest(".sr, .skip, script, style, option") || !element.checkVisibility();
    if (!walker.currentNode.data.trim() || hidden) continue;
    seen += 1;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const pair = [luminance(channels(style.color).rgb), luminance(paper(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < (large ? 3 : 4.5)) wrong.push(`${element.className} ${walker.currentNode.data.trim()} ${contrast}`);
  }
  return { seen, wrong };
}"""


class Opened:
    """A page of a file, with what the browser complained of and asked for."""

    def __init__(self, browser: Any, path: Path, size: tuple[int, int] = SIZES[0], **options: Any) -> None:
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]}, **options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.page.close()


def violations(page: Any) -> list[str]:
    """What axe-core has against the page as it is."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
