"""The site as it is built: links, pictures, search; in a browser where there is one."""

import contextlib
import functools
import http.server
import importlib
import os
import queue
import re
import shutil
import subprocess
import threading
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from docs import build

pytestmark = pytest.mark.slow
BROWSER = os.environ.get("BROWSER_BINARY") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PROBE = """<!doctype html><body><script>
const pause = ms => new Promise(done => setTimeout(done, ms));
async function page(path) {
  const frame = document.createElement("iframe");
  frame.width = 1200; frame.height = 900; frame.src = path;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  return frame.contentWindow;
}
const colour = view => view.getComputedStyle(view.document.body).backgroundColor;
async function look() {
  const gallery = await page("gallery.html"), body = gallery.document.body;
  const drawn = [...gallery.document.querySelectorAll(".cell_output svg")];
  const sizes = drawn.filter(svg => svg.getBoundingClientRect().width > 50).length;
  body.dataset.theme = "light"; const light = colour(gallery);
  body.dataset.theme = "dark"; const dark = colour(gallery);
  const search = await page("search.html?q=row_op");
  let hits = 0;
  for (let k = 0; k < 40 && !hits; k++) {
    await pause(100); hits = search.document.querySelectorAll("#search-results li a").length;
  }
  const broken = [...gallery.document.images].filter(i => i.complete && !i.naturalWidth).length;
  return `drawn=${sizes} broken=${broken} hits=${hits} light=${light} dark=${dark}`;
}
look().catch(String).then(words => fetch("/found?" + encodeURIComponent(words)));
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Every notebook is run, so this takes minutes."""
    for name in ("sphinx", "myst_nb", "numpydoc", "furo"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}: the extra `docs`")
    if ready := os.environ.get("DOCS_HTML"):  # one that `scripts/docs` has built
        return build.Path(ready)
    out = tmp_path_factory.mktemp("docs") / "html"
    assert build.build(out) == 0
    return out


class Page(HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors, self.pictures = set(), set(), 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.add(values.get("id"))
        self.pictures += tag in {"svg", "img"}
        self.targets.add(values.get({"a": "href", "img": "src", "script": "src"}.get(tag, ""), ""))


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_links_and_pictures_resolve(pages):
    missing = []
    for path, page in pages.items():
        for target in page.targets:
            file, _, anchor = unquote(target or "").partition("#")
            if re.match(r"\w+:|//|\?", file):
                continue
            found = (path.parent / file.partition("?")[0]).resolve() if file else path
            known = pages.get(found)
            if not found.exists() or (anchor and known and anchor not in known.anchors):
                missing.append((path.name, target))
    assert len(pages) > 80
    assert missing == []


def test_search_knows_titles_and_operators(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for word in ("softmax", "row_op", "certif", "fit"):
        assert word in index


def test_notebooks_and_the_gallery_show_pictures(site, pages):
    assert pages[site / "gallery.html"].pictures >= 6
    shown = [path for path in (site / "notebooks").glob("*.html") if pages[path].pictures > 3]
    assert len(shown) >= 5


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what the page in the browser has found."""

    def do_GET(self):
        if not self.path.startswith("/found?"):
            return super().do_GET()
        self.server.words.put(unquote(self.path))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        """Print nothing."""


@contextlib.contextmanager
def served(folder):
    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.words = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(
    BROWSER is None, reason="no browser; name one: BROWSER_BINARY=/path/to/chromium"
)
def test_a_browser_searches_shows_pictures_and_turns_dark(site, tmp_path):
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    (folder / "probe.html").write_text(PROBE)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    with served(folder) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/probe.html"
        command = [BROWSER, *options, f"--user-data-dir={tmp_path}/profile", address]
        browser = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            shown = server.words.get(timeout=120)
        finally:
            browser.terminate()
            browser.wait(30)
    found = dict(re.findall(r"(\w+)=(\d+|rgb\([\d, ]+\))", shown))
    assert int(found["drawn"]) >= 5, shown
    assert int(found["broken"]) == 0
    assert int(found["hits"]) >= 2
    light, dark = (sum(map(int, re.findall(r"\d+", found[k]))) for k in ("light", "dark"))
    assert light > 600 > 200 > dark
