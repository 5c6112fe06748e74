"""The command line: thin. Results go to standard output, progress and errors to standard error."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .errors import CheckFailed, UserError

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help="Block ciphers as hardware.")
_err = Console(stderr=True)
_out = Console(width=None if sys.stdout.isatty() else 160)

Sets = Annotated[list[str], typer.Option("--set", metavar="K=V", help="Change one option of the preset.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Key = Annotated[str, typer.Option("--key", metavar="HEX", help="The key, hexadecimal.")]


def _print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


@contextmanager
def _progress(text: str) -> Iterator[Callable[[str], None]]:
    """A status line on standard error where somebody watches."""
    if not _err.is_terminal:
        yield lambda message: None
        return
    with _err.status(text) as status:
        yield lambda message: status.update(message)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Ciphers, architectures, modes, targets, presets."""
    from .cipher import CATALOGUE
    from .report import print_rows
    from .spec import ARCHITECTURES, INTERFACES, MODES, load, preset_names
    from .target import load_target, target_names

    specs = [load(n) for n in preset_names()]
    targets = [load_target(n) for n in target_names()]
    if as_json:
        _print_json({
            "ciphers": [{"name": c.name, "title": c.title, "standard": c.standard, "block_bits": c.block_bits,
                         "block_sizes": list(c.block_sizes or (c.block_bits,)), "key_bits": list(c.key_sizes)} for c in CATALOGUE.values()],
            "architectures": list(ARCHITECTURES), "modes": list(MODES), "interfaces": list(INTERFACES),
            "targets": [{"name": t.name, "title": t.title, "kind": t.kind} for t in targets],
            "presets": [{"name": s.name, "title": s.title, "cipher": s.cipher, "source": s.source} for s in specs],
        })  # fmt: skip
        return
    print_rows(_out, "Ciphers", ("name", "standard", "block", "keys"), ((c.name, c.standard, ", ".join(map(str, c.block_sizes or (c.block_bits,))), ", ".join(map(str, c.key_sizes))) for c in CATALOGUE.values()))
    print_rows(_out, "Presets", ("name", "what"), ((s.name, s.title + (f" ({s.source})" if s.source else "")) for s in specs))
    print_rows(_out, "Targets", ("name", "what", "kind"), ((t.name, t.title, t.kind) for t in targets))
    _out.print(f"Architectures: {', '.join(ARCHITECTURES)}. Modes: {', '.join(MODES)}. Interfaces: {', '.join(INTERFACES)}.")


@app.command()
def build(
    preset: Annotated[str, typer.Argument(metavar="PRESET|FILE.toml")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the core.")],
    sets: Sets = [],  # noqa: B006 - Typer wants a list
    picture: Annotated[str, typer.Option(help="Draw the pipeline into the folder: svg or png.")] = "",
) -> None:
    """RTL, testbench, constraints, FuseSoC .core and record.json in a new folder."""
    from .pipeline import generate
    from .spec import load
    from .wrap import Engine, save

    if picture not in ("", "svg", "png"):
        raise UserError(f"--picture is svg or png, not {picture}")
    if out.exists():
        raise UserError(f"the output {out} exists; choose another folder or remove it first")
    with _progress(f"building {preset}"):
        core = generate(load(preset, sets), {"preset": preset, **dict(s.split("=", 1) for s in sets)})
        extra = {}
        if picture:
            from .report.picture import draw

            if isinstance(core, Engine):
                raise UserError("--picture draws a schedule's stages, and an engine has none")
            extra[f"pipeline.{picture}"] = draw(core.schedule, core.top, picture)
        save(core, out, extra)
    record = core.record()
    stages, useful = record["stages"], record.get("useful_stages", record["stages"])
    _err.print(f"{out}: {core.top}, {stages} stage{'s' * (stages != 1)}, latency {core.latency}, {core.flip_flops} flip-flops predicted")
    if useful < stages:
        _err.print(f"{useful} stages reach the same planned period; the other {stages - useful} only pass values on (--set stages={useful})", highlight=False)


@app.command()
def verify(folder: Annotated[Path, typer.Argument(metavar="DIR")], as_json: Json = False,
           blocks: Annotated[int, typer.Option(help="Random blocks against OpenSSL.", min=1)] = 4000,
           monte: Annotated[int, typer.Option(help="Keys of the Monte Carlo test.", min=1)] = 1,
           all_sizes: Annotated[bool, typer.Option("--all-sizes", help="An engine: prove it for all its sizes (hours), not the record's alone.")] = False) -> None:  # fmt: skip
    """Vectors, simulation, equivalence; exit status 1 where a check fails."""
    from .rebuild import verify_folder
    from .report import print_verdicts
    from .verify import CoreFolder

    core = CoreFolder.open(folder)
    with _progress("verifying") as tell:
        verdicts = verify_folder(core, blocks, monte, tell, all_sizes)
    passed = all(v.passed for v in verdicts)
    if as_json:
        _print_json({"core": core.record["top"], "passed": passed, "checks": [vars(v) for v in verdicts]})
    else:
        print_verdicts(_out, verdicts)
    if not passed:
        raise CheckFailed("; ".join(f"{v.check}: {v.detail}" for v in verdicts if not v.passed))


@app.command()
def implement(
    what: Annotated[str, typer.Argument(metavar="DIR|PRESET")],
    target: Annotated[str, typer.Option("--target", metavar="T", help="Target or Liberty file (default: the core's own).")] = "",
    sets: Sets = [],  # noqa: B006
    seeds: Annotated[int, typer.Option(help="Place and route with seeds 1..N; the best counts.", min=1, max=64)] = 3,
    as_json: Json = False,
) -> None:
    """Synthesis, place and route or timing analysis on a target."""
    from .report import implementation_record, mapped_top, print_summary
    from .target import implement as run
    from .target import load_target

    with _progress("implementing") as tell, _core(what, target, sets) as core:
        chosen = load_target(target or core.record["parameters"]["target"])
        top = mapped_top(core.record, chosen.kind)
        result = run(core.sources, top, chosen, range(1, seeds + 1), tell, core.record["parameters"]["placer_weight"], core.record["parameters"]["mapping"])
        record = implementation_record(core.record, result)
    if as_json:
        _print_json(record)
    else:
        print_summary(_out, record)


@contextmanager
def _core(what: str, target: str, sets: list[str]) -> Iterator[Any]:
    """A core folder: the one named, which must be as it was built, or one built from a preset for as long as it is needed."""
    from .pipeline import generate
    from .rebuild import check_built
    from .spec import load
    from .target import load_target
    from .verify import CoreFolder
    from .wrap import save

    if Path(what).is_dir():
        if sets:
            raise UserError(f"--set changes a preset; {what} is a built core, build it again with the change")
        folder = CoreFolder.open(Path(what))
        check_built(folder)
        yield folder
        return
    if target:
        load_target(target)
        sets = [*sets, *([f"target={target}"] if not target.endswith(".lib") else [])]
    with tempfile.TemporaryDirectory(prefix="cipherwright-") as d:
        save(generate(load(what, sets), {"preset": what}), Path(d) / "core")
        yield CoreFolder.open(Path(d) / "core")


def _crypt(decrypt: bool, preset: str, source: Path, out: Path, key: str, iv: str, sets: list[str]) -> None:
    from .cipher.modes import ONE_WAY_MODES
    from .spec import load
    from .verify import Bench, MarsBench, ProcessorBench

    direction = "decrypt" if decrypt else "encrypt"
    spec = load(preset, sets)
    raw = _hex(key, "key", spec.key_bits)
    if iv and spec.mode == "ecb":
        raise UserError(f"mode {spec.mode} takes no IV; leave --iv away")
    if spec.mode != "ecb" and not iv:
        what = "the first counter block" if spec.mode == "ctr" else "an initial value"
        raise UserError(f"mode {spec.mode} takes {what}: give --iv with {spec.block_bits // 4} hexadecimal digits")
    start = _hex(iv, "IV", spec.block_bits) if iv else b""
    try:
        data = source.read_bytes()
    except OSError as e:
        raise UserError(f"can't read {source}: {e.strerror}") from None
    if out.is_dir() or not out.resolve().parent.is_dir():
        raise UserError(f"can't write to {out}: it is a folder, or its folder does not exist")
    size = spec.block_bits // 8
    length = len(data)
    if spec.mode in ("ctr", "ofb", "cfb") and data:
        data += bytes(-length % size)  # what is beyond the end is cut off again
    if not data or len(data) % size:
        raise UserError(
            f"{source} has {len(data)} bytes, and {spec.mode.upper()} takes one or more whole blocks of {size}; pad it first (PKCS #7 adds 1 to {size} "
            "bytes, as openssl enc does by default): nothing is padded silently"
        )
    engine = spec.architecture == "engine"
    # An engine of one direction encrypts; to decrypt takes the one for both.
    wanted = "both" if engine and decrypt else direction
    changes = sets if spec.direction == "both" or spec.mode in ONE_WAY_MODES else [*sets, f"direction={wanted}"]
    with _progress("simulating the core") as tell, _core(preset, "", changes) as core:
        tell("compiling the simulation (kept for the next time)")
        blocks = f"{len(data) // size} blocks through the simulated hardware"
        if engine and spec.cipher == "mars":
            tell(blocks)
            result = MarsBench.compile(core.sources, core.record).crypt_bulk(raw, decrypt, data, start)
        elif engine:
            processor = ProcessorBench.compile(core.sources, core.record)
            tell(blocks)
            result = processor.crypt_bulk(raw, decrypt, data)
        else:
            bench = Bench.compile(core.sources, core.record)
            tell(blocks)
            result = bench.crypt_bulk(raw, decrypt and spec.mode not in ONE_WAY_MODES, data, os.cpu_count() or 1, start)[:length]
    with tempfile.NamedTemporaryFile(dir=out.resolve().parent, delete=False) as f:
        f.write(result)
    Path(f.name).replace(out)
    _err.print(f"{out}: {len(result)} bytes {direction}ed by the simulated {core.record['top']}")


def _hex(text: str, what: str, bits: int) -> bytes:
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raise UserError(f"the {what} is not hexadecimal: give {bits // 4} digits 0-9, a-f") from None
    if len(raw) * 8 != bits:
        raise UserError(f"the {what} has {len(raw) * 8} bits; this core takes {bits} bits, {bits // 4} hexadecimal digits")
    return raw


@app.command()
def encrypt(preset: str, source: Annotated[Path, typer.Argument(metavar="IN")], out: Annotated[Path, typer.Argument(metavar="OUT")],
            key: Key, iv: Annotated[str, typer.Option(metavar="HEX")] = "", sets: Sets = []) -> None:  # noqa: B006  # fmt: skip
    """Encrypt a file through the simulated hardware."""
    _crypt(False, preset, source, out, key, iv, sets)


@app.command()
def decrypt(preset: str, source: Annotated[Path, typer.Argument(metavar="IN")], out: Annotated[Path, typer.Argument(metavar="OUT")],
            key: Key, iv: Annotated[str, typer.Option(metavar="HEX")] = "", sets: Sets = []) -> None:  # noqa: B006  # fmt: skip
    """Decrypt a file through the simulated hardware."""
    _crypt(True, preset, source, out, key, iv, sets)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="[PAPER]")] = "", as_json: Json = False,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Draw a paper's plots into this folder, as SVG.")] = None,
) -> None:  # fmt: skip
    """A paper's tables beside what is measured here (all papers where none is named)."""
    from .report import PAPERS, plot, print_rows
    from .report import reproduce as run

    if paper and paper not in PAPERS:
        raise UserError(f"there is no paper {paper}; there are {', '.join(PAPERS)}")
    with _progress("reproducing") as tell:
        if plots and not plots.is_dir():
            raise UserError(f"there is no folder {plots} for the plots")
        results = {name: run(name, tell) for name in ([paper] if paper else PAPERS)}
        for name, result in results.items():
            for i, figure in enumerate(result.get("plots", []) if plots else []):
                assert plots is not None
                (plots / f"{name}-{i + 1}.svg").write_bytes(plot(figure))
    if as_json:
        _print_json(results)
        return
    for result in results.values():
        _out.print(result["title"], highlight=False)
        for table in result["tables"]:
            print_rows(_out, table["title"], table["columns"], table["rows"])
            for note in table["notes"]:
                _out.print(f"  {note}", highlight=False, markup=False)


def main() -> None:
    """Entry point: errors become one sentence and an exit status."""
    try:
        app()
    except UserError as e:
        _err.print(f"cipherwright: {e}", highlight=False, markup=False, soft_wrap=True)
        sys.exit(2)
    except CheckFailed as e:
        _err.print(f"cipherwright: check failed: {e}", highlight=False, markup=False, soft_wrap=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
