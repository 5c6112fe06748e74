"""The command line: thin. Results go to standard output, progress and errors to standard error."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .errors import CheckFailed, ToolFailed, UserError
from .files import check_new, reason, write_whole
from .key_input import parse_hex, read_key
from .progress import Tell, part_of, shown

__all__ = ["app", "execute", "main"]

_UsageError: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What Typer raises for a command line that it can't read."""

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Block ciphers as hardware.",
)
_err = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
_out = Console(width=None if sys.stdout.isatty() else 160, markup=False)

Sets = Annotated[list[str], typer.Option("--set", metavar="K=V", help="Change one option of the preset.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
_KEY_HELP = (
    "The key, hexadecimal: every user of the machine sees it in the list of processes. With - it "
    "is read from standard input, unseen."
)
Key = Annotated[str, typer.Option("--key", metavar="HEX|-", help=_KEY_HELP)]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key-file", metavar="FILE", help="A file that holds the key, hexadecimal, instead of --key."
    ),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        from .tools import tool_version

        sys.stdout.write(f"cipherwright {tool_version('cipherwright')}\n")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Block ciphers as hardware."""


def _print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def _progress(text: str) -> AbstractContextManager[Tell]:
    """What is done by now, on standard error."""
    return shown(text, _err)


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
        _print_json(
            {
                "ciphers": [
                    {
                        "name": c.name,
                        "title": c.title,
                        "standard": c.standard,
                        "block_bits": c.block_bits,
                        "block_sizes": list(c.block_sizes or (c.block_bits,)),
                        "key_bits": list(c.key_sizes),
                    }
                    for c in CATALOGUE.values()
                ],
                "architectures": list(ARCHITECTURES),
                "modes": list(MODES),
                "interfaces": list(INTERFACES),
                "targets": [{"name": t.name, "title": t.title, "kind": t.kind} for t in targets],
                "presets": [
                    {"name": s.name, "title": s.title, "cipher": s.cipher, "source": s.source} for s in specs
                ],
            }
        )
        return
    print_rows(
        _out,
        "Ciphers",
        ("name", "standard", "block", "keys"),
        (
            (
                c.name,
                c.standard,
                ", ".join(map(str, c.block_sizes or (c.block_bits,))),
                ", ".join(map(str, c.key_sizes)),
            )
            for c in CATALOGUE.values()
        ),
    )
    print_rows(
        _out,
        "Presets",
        ("name", "what"),
        ((s.name, s.title + (f" ({s.source})" if s.source else "")) for s in specs),
    )
    print_rows(_out, "Targets", ("name", "what", "kind"), ((t.name, t.title, t.kind) for t in targets))
    _out.print(
        f"Architectures: {', '.join(ARCHITECTURES)}. Modes: {', '.join(MODES)}. Interfaces: "
        f"{', '.join(INTERFACES)}."
    )


@app.command()
def build(
    preset: Annotated[str, typer.Argument(metavar="PRESET|FILE.toml")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the core.")],
    sets: Sets = [],  # noqa: B006 - Typer wants a list
    picture: Annotated[str, typer.Option(help="Draw the pipeline into the folder: svg or png.")] = "",
) -> None:
    """RTL, testbench, constraints, FuseSoC .core and record.json in a new folder."""
    from .pipeline import generate
    from .spec import load, named
    from .wrap import Engine, save

    if picture not in ("", "svg", "png"):
        raise UserError(f"--picture is svg or png, not {picture}")
    check_new(out)
    with _progress(f"building {preset}"):
        spec = load(preset, sets)
        if picture and spec.architecture == "engine":
            raise UserError("--picture draws a schedule's stages, and an engine has none")
        core = generate(spec, {"preset": preset, **dict(s.split("=", 1) for s in sets)})
        extra = {}
        if picture:
            from .report.picture import draw

            assert not isinstance(core, Engine)
            extra[f"pipeline.{picture}"] = draw(core.schedule, core.top, picture)
        save(core, out, extra)
    _warn(core.warnings)
    record = core.record()
    stages, useful = record["stages"], record.get("useful_stages", record["stages"])
    _err.print(
        f"{out}: {core.top}, {stages} stage{'s' * (stages != 1)}, latency {core.latency}, "
        f"{core.flip_flops} flip-flops predicted"
    )
    if not any(s.startswith("name=") for s in sets) and core.parameters["name"] != named(preset):
        _err.print(
            (
                f"{core.top} is named after its options, which are not those of {named(preset)}; --set "
                f"name=… "
                f"gives another name"
            ),
            highlight=False,
        )
    if useful < stages:
        _err.print(
            f"{useful} stages reach the same planned period; the other {stages - useful} only pass values "
            f"on (--set stages={useful})"
        )


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    as_json: Json = False,
    blocks: Annotated[
        int | None,
        typer.Option(
            help="Random blocks against an independent library (default: 100,000; of an engine 4,000).", min=1
        ),
    ] = None,
    monte: Annotated[int, typer.Option(help="Keys of the Monte Carlo test.", min=1)] = 1,
    all_sizes: Annotated[
        bool,
        typer.Option(
            "--all-sizes", help="An engine: prove it for all its sizes (hours), not the record's alone."
        ),
    ] = False,
) -> None:
    """Vectors, simulation, equivalence; exit status 1 where a check fails."""
    from .rebuild import verify_folder
    from .report import print_verdicts
    from .verify import CoreFolder

    core = CoreFolder.open(folder)
    with _progress("verifying") as tell:
        verdicts = verify_folder(core, blocks, monte, tell, all_sizes)
    passed = all(v.passed for v in verdicts)
    if as_json:
        _print_json({"core": core.record["top"], "passed": passed, "checks": [v.as_json() for v in verdicts]})
    else:
        print_verdicts(_out, verdicts)
    if not passed:
        raise CheckFailed("; ".join(f"{v.check}: {v.detail}" for v in verdicts if not v.passed))


@app.command()
def implement(
    what: Annotated[str, typer.Argument(metavar="DIR|PRESET")],
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="Target or Liberty file (default: the core's own).")
    ] = "",
    sets: Sets = [],  # noqa: B006
    dont_use: Annotated[
        list[str],
        typer.Option(
            "--dont-use",
            metavar="PATTERN",
            help="Cells of a library not to map to, such as 'TIE*'; may be repeated.",
        ),
    ] = [],  # noqa: B006
    seeds: Annotated[
        int, typer.Option(help="Place and route with seeds 1..N; the best counts.", min=1, max=64)
    ] = 3,
    prove: Annotated[
        bool | None,
        typer.Option(
            "--prove/--no-prove",
            help=(
                "Prove the netlist after mapping and after routing equal to the core (default: where "
                "there is place and route)."
            ),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Synthesis, place and route or timing analysis on a target."""
    from .report import clock_port, implementation_record, mapped_top, print_summary
    from .target import implement as run
    from .target import load_target

    with _progress("implementing") as tell, _core(what, target, sets) as core:
        _warn(core.record["warnings"])
        chosen = load_target(target or core.record["parameters"]["target"])
        if dont_use and chosen.kind != "cells":
            raise UserError(f"--dont-use is for cell libraries, and {chosen.name} is none")
        top = mapped_top(core.record, chosen.kind)
        result = run(
            core.sources,
            top,
            chosen,
            range(1, seeds + 1),
            tell,
            core.record["parameters"]["placer_weight"],
            core.record["parameters"]["mapping"],
            dont_use,
            prove,
            clock_port(core.record),
            core.record["parameters"]["placer"],
        )
        record = implementation_record(core.record, result)
        _warn(record["warnings"])
    if as_json:
        _print_json(record)
    else:
        print_summary(_out, record)


def _warn(warnings: Sequence[str]) -> None:
    for text in warnings:
        _err.print(f"cipherwright: warning: {text}")


@contextmanager
def _core(what: str, target: str, sets: list[str]) -> Iterator[Any]:
    """A core folder: the one named, which must be as it was built, or one built from a preset for as long
    as it is needed.
    """
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


def _crypt(
    decrypt: bool,
    preset: str,
    source: Path,
    out: Path,
    key: str,
    key_file: Path | None,
    iv: str,
    sets: list[str],
) -> None:
    from .cipher.modes import ONE_WAY_MODES
    from .spec import load
    from .verify import Bulk, MarsBench, ProcessorBench

    direction = "decrypt" if decrypt else "encrypt"
    spec = load(preset, sets)
    raw = read_key(key, key_file, spec.key_bits)
    if iv and spec.mode == "ecb":
        raise UserError(f"mode {spec.mode} takes no IV; leave --iv away")
    if spec.mode != "ecb" and not iv:
        what = "the first counter block" if spec.mode == "ctr" else "an initial value"
        raise UserError(
            f"mode {spec.mode} takes {what}: give --iv with {spec.block_bits // 4} hexadecimal digits"
        )
    start = parse_hex(iv, "IV", spec.block_bits) if iv else b""
    try:
        data = source.read_bytes()
    except OSError as e:
        raise UserError(f"can't read {source}: {reason(e)}") from None
    _check_writable(out)
    size = spec.block_bits // 8
    length = len(data)
    if spec.mode in ("ctr", "ofb", "cfb") and data:
        data += bytes(-length % size)  # what is beyond the end is cut off again
    if not data or len(data) % size:
        raise UserError(
            f"{source} has {len(data)} bytes, and {spec.mode.upper()} takes one or more whole blocks of "
            f"{size}; pad it first (PKCS #7 adds 1 to {size} "
            "bytes, as openssl enc does by default): nothing is padded silently"
        )
    engine = spec.architecture == "engine"
    # An engine of one direction encrypts; to decrypt takes the one for both.
    wanted = "both" if engine and decrypt else direction
    changes = (
        sets if spec.direction == "both" or spec.mode in ONE_WAY_MODES else [*sets, f"direction={wanted}"]
    )
    with _progress("simulating the core") as tell, _core(preset, "", changes) as core:
        tell("compiling the simulation (kept for the next time)", 0.0)
        blocks = f"{len(data) // size} blocks through the simulated hardware"
        if engine and spec.cipher == "mars":
            tell(blocks)
            result = MarsBench.compile(core.sources, core.record).crypt_bulk(raw, decrypt, data, start)
        elif engine:
            processor = ProcessorBench.compile(core.sources, core.record)
            tell(blocks)
            result = processor.crypt_bulk(raw, decrypt, data)
        else:
            bulk = Bulk.compile(core.sources, core.record, len(data) // size)
            result = bulk.crypt_bulk(raw, decrypt and spec.mode not in ONE_WAY_MODES, data, start, tell)[
                :length
            ]
    write_whole(out, result)
    _err.print(f"{out}: {len(result)} bytes {direction}ed by the simulated {core.record['top']}")


def _check_writable(out: Path) -> None:
    """Raise UserError, before anything is computed, where a file can't be written."""
    target = Path(os.path.realpath(out))
    if target.is_dir() or not target.parent.is_dir():
        raise UserError(f"can't write to {out}: it is a folder, or its folder does not exist")
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise UserError(f"can't write to {out}: permission denied")


@app.command()
def encrypt(
    preset: str,
    source: Annotated[Path, typer.Argument(metavar="IN")],
    out: Annotated[Path, typer.Argument(metavar="OUT")],
    key: Key = "",
    key_file: KeyFile = None,
    iv: Annotated[str, typer.Option(metavar="HEX")] = "",
    sets: Sets = [],  # noqa: B006
) -> None:
    """Encrypt a file through the simulated hardware."""
    _crypt(False, preset, source, out, key, key_file, iv, sets)


@app.command()
def decrypt(
    preset: str,
    source: Annotated[Path, typer.Argument(metavar="IN")],
    out: Annotated[Path, typer.Argument(metavar="OUT")],
    key: Key = "",
    key_file: KeyFile = None,
    iv: Annotated[str, typer.Option(metavar="HEX")] = "",
    sets: Sets = [],  # noqa: B006
) -> None:
    """Decrypt a file through the simulated hardware."""
    _crypt(True, preset, source, out, key, key_file, iv, sets)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="[PAPER]")] = "",
    as_json: Json = False,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw a paper's plots into this folder, as SVG.")
    ] = None,
) -> None:
    """A paper's tables beside what is measured here (all papers where none is named)."""
    from .report import PAPERS, plot, print_rows
    from .report import reproduce as run

    if paper and paper not in PAPERS:
        raise UserError(f"there is no paper {paper}; there are {', '.join(PAPERS)}")
    with _progress("reproducing") as tell:
        if plots and not plots.is_dir():
            raise UserError(f"there is no folder {plots} for the plots")
        chosen = [paper] if paper else list(PAPERS)
        results = {
            name: run(name, part_of(tell, k / len(chosen), (k + 1) / len(chosen), f"{name}: "))
            for k, name in enumerate(chosen)
        }
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
                _out.print(f"  {note}", highlight=False)


class _Ended(KeyboardInterrupt):
    """The process was asked to end by another signal than Ctrl-C's."""


def _end(number: int, frame: object) -> None:
    raise _Ended


def execute(args: Sequence[str]) -> int:
    """Run one command line; the exit status. What a user gets wrong becomes one sentence on standard error.

    0: done; 1: a check failed, or nobody reads the output any more; 2: something given is wrong, missing
    or in the way; 130: Ctrl-C.
    """
    try:
        status = app(list(args), prog_name="cipherwright", standalone_mode=False)
        sys.stdout.flush()
        if status == 130:  # Typer's own word for an interruption
            return _fail("interrupted", 130)
        return status if isinstance(status, int) else 0
    except UserError as e:
        return _fail(str(e), 2)
    except CheckFailed as e:
        return _fail(f"check failed: {e}", 1)
    except (ToolFailed, MemoryError) as e:
        return _fail(str(e) or "there is not enough memory for this", 2)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    except BrokenPipeError:
        return 1
    except OSError as e:
        return _fail(f"{e.filename}: {reason(e)}" if e.filename else reason(e), 2)
    except _UsageError as e:
        return _usage(e)
    except SystemExit as e:  # of Rich and Typer where the reader of a pipe is gone
        return e.code if isinstance(e.code, int) else 1


def _usage(error: Any) -> int:
    """A command line that can't be read; without any command, the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return 2
    message = str(error.format_message()).rstrip(".")
    return _fail(f"{message[:1].lower()}{message[1:]}; cipherwright -h tells more", 2)


def _fail(text: str, status: int) -> int:
    """One line on standard error, whatever is in the text."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    with contextlib.suppress(OSError):
        _err.print(f"cipherwright: {line}")
    return status


def main() -> None:
    """Entry point."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = execute(sys.argv[1:])
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.exit(status)
    # What could not be written can't be written at the end of the program either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


if __name__ == "__main__":
    main()
