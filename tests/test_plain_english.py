"""Plain English: no phrase of `tests/plain_english.py` in documents, comments, docstrings and messages."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from pathlib import Path

from tests.plain_english import FORBIDDEN, LEFT

_PHRASE = re.compile(rf"\b(?:{'|'.join(FORBIDDEN)})\b", re.IGNORECASE)
_EITHER = re.compile(r"[a-z]\(s\)(?=[\s.,;:\"')]|$)")
_IDENTIFIER = re.compile(r"[rbuf]*['\"]\w*['\"]", re.IGNORECASE)


def prose_lines(path: Path) -> list[str]:
    """The lines of a document; of a Python file those of comments and strings, names in quotes apart."""
    text = path.read_text()
    if path.suffix != ".py":
        return text.splitlines()
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    prose = [t.string for t in tokens if t.type in kinds and not _IDENTIFIER.fullmatch(t.string)]
    return [line for part in prose for line in part.splitlines()]


def found_in(root: Path, phrase: re.Pattern[str] = _PHRASE) -> dict[str, list[str]]:
    """File -> its lines with a phrase."""
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "ARCHITECTURE.md"]
    texts = [p for folder in ("docs/guide", "docs/ciphers") for p in sorted((root / folder).glob("*.md"))]
    presets = sorted((root / "src/cipherwright/data/presets").glob("*.toml"))
    files = [*pages, *texts, *presets, *sorted((root / "src").rglob("*.py"))]
    found = {str(p.relative_to(root)): [x for x in prose_lines(p) if phrase.search(x)] for p in files}
    return {name: lines for name, lines in found.items() if lines}


def test_phrases(root: Path) -> None:
    """No file and no folder has more of them than it is listed with; what is not listed has none."""
    counts: Counter[str] = Counter()
    listed = sorted(LEFT, key=len, reverse=True)
    new: list[str] = []
    for name, lines in found_in(root).items():
        place = next((p for p in listed if name == p or name.startswith(f"{p}/")), None)
        if place is None:
            new += [f"{name}: {line.strip()}" for line in lines]
        else:
            counts[place] += len(lines)
    assert not new, "\n".join(new)
    more = {place: count for place, count in counts.items() if count > LEFT[place]}
    assert not more, f"more lines with a phrase of tests/plain_english.py than before: {more}"


def test_the_search_sees_a_phrase(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('trip = "trip"  # one round a trip\nwish = f"there and back: {trip}"\n')
    assert [bool(_PHRASE.search(line)) for line in prose_lines(tmp_path / "a.py")] == [True, True]
    (tmp_path / "b.py").write_text("# a striped standing wishbone\n")
    assert not _PHRASE.search(prose_lines(tmp_path / "b.py")[0])


def test_one_or_several(root: Path) -> None:
    """No text leaves it to its reader whether there is one of something (`wording.counted`)."""
    assert found_in(root, _EITHER) == {}
    seen = ["2 block(s) every", "16 state(s))", "takes 3 cycle(s)"]
    assert [bool(_EITHER.search(line)) for line in [*seen, "shift_rows(s)}", "(s)", "words"]] == [
        True
    ] * 3 + [False] * 3
