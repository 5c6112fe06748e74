"""The documentation site builds without a warning, and every link and picture in it leads somewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from cipherwright.flow import build
from cipherwright.spec import load

PRESETS = ("des-small", "des-fast")


class _Targets(HTMLParser):
    """What a page links to and shows, and the places in it that a link can name."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name, tag) in (("href", "a"), ("src", "img"), ("href", "link"), ("src", "script")):
                self.targets.append(value)
            if value and name == "id":
                self.places.add(value)


def _read(page: Path) -> _Targets:
    parser = _Targets()
    parser.feed(page.read_text())
    return parser


def lost(site: Path) -> Iterator[str]:
    """Links and pictures of a site that lead nowhere."""
    pages = {p: _read(p) for p in sorted(site.rglob("*.html")) if p.name != "404.html"}
    for page, found in pages.items():
        for target in found.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            if not file.exists() or (
                parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].places
            ):
                yield f"{page.relative_to(site)}: {target}"


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(out)],
        cwd=root,
        env={**os.environ, "CIPHERWRIGHT_SITE_PRESETS": " ".join(PRESETS), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out.resolve()


def test_every_link_leads_somewhere(site: Path) -> None:
    assert list(lost(site)) == []


def test_every_page_of_docs_is_there(site: Path, root: Path) -> None:
    pages = {p.relative_to(root / "docs").with_suffix(".html") for p in (root / "docs").rglob("*.md")}
    pages = {p.with_name("index.html") if p.stem == "README" else p for p in pages}
    assert [p for p in sorted(pages) if not (site / p).exists()] == []
    assert (site / "index.html").exists() and (site / "ARCHITECTURE.html").exists()
    assert "site.css" in _read(site / "index.html").targets
    assert "../site.css" in _read(site / "guide/options.html").targets


def test_generated_pages_show_the_cores(site: Path) -> None:
    """Each port of a core is in its block diagram and its table; a preset has its figures and its picture."""
    core = build(load("des-small", ["interface=axi-stream", "control=apb"]))
    drawn = (site / "reference/ports/axi-stream-with-registers-on-apb.svg").read_text()
    table = (site / "reference/ports.html").read_text()
    for pin in core.component.pins:
        assert f">{pin.name}" in drawn and f"<code>{pin.name}</code>" in table, pin.name
    for name in ("first", "rate"):
        assert (
            f"a-pipeline-{name}.svg" in table and (site / f"reference/ports/a-pipeline-{name}.svg").exists()
        )
    for register in ("CONTROL", "STATUS", "KEY"):
        assert register in table
    page = (site / "reference/presets/des-fast.html").read_text()
    assert "des-fast.svg" in page and "critical path" in page
    assert (site / "reference/presets/des-fast.svg").read_text().count("#8a8a8a") > 60


def test_a_lost_link_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><img src="no.svg"><a href="#nowhere">x</a>')
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1><a href="a.html">a</a><a href="c.html">c</a>')
    assert list(lost(tmp_path)) == ["a.html: no.svg", "a.html: #nowhere", "b.html: c.html"]
