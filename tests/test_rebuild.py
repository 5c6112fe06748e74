"""Nothing of a folder is compiled or run before it is, byte for byte, what the generator makes of its
record.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from cipherwright.cli import main
from cipherwright.errors import CheckFailed, UserError
from cipherwright.rebuild import check_built, verify_folder
from cipherwright.shell import files_digest
from cipherwright.verify import CoreFolder
from tests.conftest import Built
from tests.verify.test_checks import broken_file

VARIANTS = [
    ("des-small",),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("aes-small", "stages=2", "sbox=boyar_peralta", "hops=[]", "key_bits=256"),
]
ENGINES = [("rijndael-ucla", "sbox=boyar_peralta"), ("mars-ibm-1port", "multiplier=operator")]


def altered(folder: CoreFolder, out: Path, change: Callable[[dict[str, object]], object]) -> CoreFolder:
    """A copy of a core with another record."""
    out.mkdir()
    for name in folder.record["files"]:
        (out / name).write_bytes((folder.path / name).read_bytes())
    record = json.loads((folder.path / "record.json").read_text())
    change(record)
    (out / "record.json").write_text(json.dumps(record))
    return CoreFolder.open(out)


@pytest.mark.parametrize("variant", [*VARIANTS, *ENGINES], ids=" ".join)
def test_every_file_that_was_changed_with_its_digest_is_seen(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    _, folder = built(*variant)
    assert check_built(folder).startswith(f"{len(folder.record['files'])} files")
    for k, name in enumerate(folder.record["files"]):
        broken = broken_file(folder, name, lambda text: text + "\n", tmp_path / str(k))
        assert broken.check_files()  # the digests alone do not see it
        with pytest.raises(CheckFailed, match=f"the file {name} and its digest were changed"):
            check_built(broken)


def test_nothing_foreign_is_run(built: Callable[..., Built], tmp_path: Path) -> None:
    """`$system` in a folder's Verilog, its digest made to agree: no command runs it."""
    _, folder = built("des-small")
    mark = tmp_path / "mark"
    call = f'    initial $system("touch {mark}");\nendmodule\n'
    broken = broken_file(
        folder, "des_small.v", lambda text: call.join(text.rsplit("endmodule\n", 1)), tmp_path / "b"
    )
    verdicts = verify_folder(broken)
    assert [(v.check, v.passed) for v in verdicts] == [("files", False)]
    for command in (["verify", str(broken.path)], ["implement", str(broken.path), "--target", "ice40-hx8k"]):
        with patch.object(sys, "argv", ["cipherwright", *command]), pytest.raises(SystemExit) as done:
            main()
        assert done.value.code == 1
    assert not mark.exists()
    # The same folder without the comparison: the fault that this test relies on is there.
    assert any(v.check == "compile" for v in verify_folder(broken, 10, as_built=False))
    assert mark.exists()


RECORDS: list[tuple[Callable[[dict[str, object]], object], type[Exception], str]] = [
    (
        lambda r: r.update(top="des_small_core"),
        CheckFailed,
        "record.json was changed after it was built: top",
    ),
    (
        lambda r: r.update(latency_cycles=15),
        CheckFailed,
        "record.json was changed after it was built: latency_cycles",
    ),
    (lambda r: r.update(more=1), CheckFailed, "record.json was changed after it was built: more"),
    (
        lambda r: r["files"].update({"other.v": files_digest({"other.v": ""})}),
        CheckFailed,
        "does not list the files that its parameters give",
    ),  # type: ignore[attr-defined]
    (
        lambda r: r["parameters"].update(stages=2),
        CheckFailed,
        "is not what the generator makes|was changed after it was built",
    ),  # type: ignore[attr-defined]
    (
        lambda r: r["given"].update(preset="des-small\nmodule evil; endmodule"),
        UserError,
        "is damaged .* build the core again",
    ),  # type: ignore[attr-defined]
    (
        lambda r: r["parameters"].update(hops=["x\nmodule evil; endmodule"]),
        UserError,
        "is damaged .* build the core again",
    ),  # type: ignore[attr-defined]
    (lambda r: r.update(given=[]), UserError, "is damaged .* build the core again"),
    (
        lambda r: r.update(generator="0.0.1"),
        UserError,
        "was built by another version of Cipherwright .* build it again",
    ),
    (
        lambda r: r.pop("generator"),
        UserError,
        "was built by another version of Cipherwright .* build it again",
    ),
]


@pytest.mark.parametrize(
    ("change", "error", "sentence"), RECORDS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_record_that_was_changed_is_seen(
    change: Callable[[dict[str, object]], object],
    error: type[Exception],
    sentence: str,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    _, folder = built("des-small")
    with pytest.raises(error, match=sentence):
        check_built(altered(folder, tmp_path / "b", change))
