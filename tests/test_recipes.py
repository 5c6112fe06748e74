"""Every recipe of CONTRIBUTING.md, followed to the letter in a copy of the repository: what it promises is
there, and no other file had to change than those that it names.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.recipes import (
    Copy,
    above,
    differences,
    in_class,
    in_import,
    in_table,
    named_files,
    pristine,
    recipes,
)

HOME = "src/cipherwright/"


def _command(c: Copy) -> None:
    """`stages PRESET` tells the stages of a preset."""
    c.add(
        f"{HOME}cli/stages.py",
        '''"""cipherwright stages"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from .console import out

__all__ = ["stages"]


@dataclass(frozen=True)
class StagesLine:
    """The command line of stages."""

    preset: Annotated[str, typer.Argument(metavar="PRESET", help="Any of `cipherwright list`.")]


def stages(line: StagesLine) -> None:
    """How many stages a preset has."""
    from ..spec import load

    out.print(load(line.preset).stages)
''',
    )
    c.change(f"{HOME}cli/run.py", in_import("from .stages import stages"))
    c.change(f"{HOME}cli/run.py", in_table("_COMMANDS", '"stages": stages'))
    said = c.run(
        'ask("--help"); ask("stages", "des-xilinx-16"); ask("stages", "none", status=2)',
        ["tests/test_cli.py::test_help_is_everywhere"],
    )
    assert "How many stages a preset has." in said
    assert "\n16\n" in said


def _option(c: Copy) -> None:
    """`tint` of a pipeline, which one of its values needs another option for."""
    c.change(
        f"{HOME}spec/pipeline.py",
        in_class(
            "Pipeline",
            """\
    tint: Annotated[Literal["plain", "bright"], needs(("bright",), interface=("paper",))] = option(
        "plain", "What the core looks like.", cost="`bright` costs nothing."
    )""",
        ),
    )
    c.change(f"{HOME}spec/core.py", in_table("_ORDER", "tint"))
    c.change(
        "tests/bad_input.py",
        in_table("SETS", '("des-fast", "tint=bright", "needs interface = paper")'),
    )
    c.run(
        textwrap.dedent("""\
            from cipherwright.errors import UserError
            from cipherwright.spec import Pipeline, load
            written("options")
            assert load("des-xilinx-16").tint == "plain"
            ask("build", "des-xilinx-16", "--set", "tint=bright", "-o", "../core")
            told = {name: Path("../core", name).read_text() for name in
                ("des_xilinx_16.v", "README.md", "record.json")}
            assert all("tint" in text and "bright" in text for text in told.values()), told
            from tests.test_docs import test_every_option_is_documented
            test_every_option_is_documented(Pipeline)
            from tests.bad_input import SETS
            (wrong,) = (row for row in SETS if row[1].startswith("tint="))
            try:
                load(wrong[0], [wrong[1]])
            except UserError as e:
                assert wrong[2] in str(e), e
            else:
                raise AssertionError(wrong)
            """)
    )
    row = "| `tint` | `plain`, `bright` | `plain` |  | What the core looks like. | `bright` costs nothing."
    assert row in (c.here / "docs/guide/options.md").read_text()


def _operation(c: Copy) -> None:
    """NAND, with a delay of its own."""
    meaning = "lambda a, w, v, n: v[0] & v[1] ^ _mask(n)"
    row = f'Op("nand", 2, _same, {meaning}, delay="nand", verilog="~({{0}} & {{1}})")'
    c.change(f"{HOME}graph/ops.py", in_table("OPS", row))
    c.change(
        f"{HOME}graph/interpret.py", in_table("_FORMS", '"nand": lambda node, v: v[0] & v[1] ^ np.uint8(1)')
    )
    gates = "[aig.and_(a, b) ^ 1 for a, b in zip(*args, strict=True)]"
    c.change(f"{HOME}verify/aig.py", in_table("_GATES", f'"nand": lambda aig, node, args: {gates}'))
    for target in sorted((c.here / HOME / "target/data").glob("*.toml")):
        c.change(
            str(target.relative_to(c.here)), lambda text: text.replace("[delay]\n", "[delay]\nnand = 0.875\n")
        )
    c.change(
        "tests/graph/test_graph.py", in_table("_OPERATIONS", 'lambda o: o.b.node("nand", 4, (o.x, o.y))')
    )
    c.run(
        textwrap.dedent("""\
            from itertools import product
            from cipherwright.graph import GraphBuilder, evaluate, evaluate_many, from_words, to_words
            from cipherwright.rtl import Design, graph_modules, print_design
            from cipherwright.target import load_target, target_names
            from cipherwright.tools import run
            from cipherwright.verify.aig import Aig, graph_to_aig
            from cipherwright.verify.equivalence import Frame, Logic
            from cipherwright.verify.netlist import read_netlist

            def graph(width=2):
                b = GraphBuilder("both")
                b.output("z", b.node("nand", width, (b.input("x", 2), b.input("y", 2))))
                return b.build()
            g, pairs = graph(), list(product(range(4), repeat=2))
            want = [3 ^ x & y for x, y in pairs]
            assert [evaluate(g, {"x": x, "y": y})["z"] for x, y in pairs] == want
            columns = {n: from_words([p[k] for p in pairs], 2) for k, n in enumerate("xy")}
            assert to_words(evaluate_many(g, columns)["z"]) == want
            try:
                graph(3)
            except ValueError as e:
                assert "nand" in str(e), e
            else:
                raise AssertionError("a width that does not fit")
            assert all(load_target(t).delay.levels(g) == 0.875 for t in target_names())

            text = print_design(Design(tuple(graph_modules(g, "mine"))))
            assert "~(x & y)" in text, text
            Path("../both.v").write_text(text)
            n = read_netlist([Path("../both.v")], "mine_both")
            aig = Aig(["x0", "x1", "y0", "y1"])
            given = {"x": [aig.input(0), aig.input(1)], "y": [aig.input(2), aig.input(3)]}
            bits = {b: l for name, found in n.inputs.items() for b, l in zip(found, given[name])}
            got = Frame(Logic(n, wires=False), aig, bits).word(n.outputs["z"])
            assert got == graph_to_aig(g, aig, given)["z"]  # equal gates are one
            from tests.graph.test_graph import random_graph, test_both_interpreters_agree
            assert any(n.op == "nand" for seed in range(9) for n in random_graph(seed).nodes)
            test_both_interpreters_agree()
            """)
    )


def _realisation(c: Copy) -> None:
    """Sums of products of the address bits."""
    block = '''@cache
def products(table: Table) -> Graph:
    """XOR of products of address bits: the algebraic normal form."""
    b, v = _start(f"{table.name}_products", table)

    def term(bits: int) -> int:
        made = b.const(1, 1)
        for bit in (v[k] for k in range(table.address_bits) if bits >> k & 1):
            made = bit if made == b.const(1, 1) else b.and_(made, bit)
        return made

    def make(column: int) -> int:
        found = b.const(1, 0)
        for bits in range(1 << table.address_bits):
            below = (a for a in range(bits + 1) if a & ~bits == 0)
            if sum(column >> a & 1 for a in below) & 1:
                found = b.xor(found, term(bits))
        return found

    return _finish(b, [make(_column(table, k)) for k in range(table.width)])
'''
    c.change(f"{HOME}rewrite/sbox/realise.py", above("REALISATIONS", block))
    c.change(f"{HOME}rewrite/sbox/realise.py", in_table("REALISATIONS", '"products": products'))
    c.run(
        textwrap.dedent("""\
            written("options")
            ask("build", "des-small", "--set", "sbox=products", "--set", "merge=0", "-o", "../core")
            assert "s1_products" in Path("../core/des_small.v").read_text()
            assert ", `products`" in Path("docs/guide/options.md").read_text()
            from tests.rewrite.test_rewrite import test_a_broken_realisation_is_caught as broken
            from tests.rewrite.test_rewrite import test_realisation_equals_table as equal
            broken("products")
            for box in ("des S1", "des S8", "aes SBox"):
                equal(box, "products")
            """)
    )


def _linear_layer(c: Copy) -> None:
    """A map of 8 bits: a network is there at once, and a kept one after a search of a second."""
    rows = "(0x1F, 0x3E, 0x7C, 0xF8, 0xF1, 0xE3, 0xC7, 0x8F)"
    c.change("benchmarks/linear_networks.py", in_table("MAPS", f'"Mine": ({rows}, 8)'))
    c.run(
        textwrap.dedent(f"""\
            import json
            from cipherwright.rewrite import network
            from cipherwright.rewrite.linear.xor import _known, _library, _network
            before = network({rows}, 8, 4, 0, 3)
            assert before.rows() == {rows} and before.depth() <= 3
            written("linear_networks", "Mine", "4", "0", "3", "1")
            data = Path("{HOME}rewrite/linear/data/xor_networks.json")
            (kept,) = (n for n in json.loads(data.read_text())["networks"] if n["name"] == "Mine")
            _library.cache_clear(), _known.cache_clear(), _network.cache_clear()
            after = network({rows}, 8, 4, 0, 3)
            assert after.rows() == {rows}
            assert [list(n) for n in after.nodes] == kept["nodes"] and after.size(4) <= before.size(4)
            data.write_text(data.read_text().replace('"outs":[[', '"outs":[[0,'))
            _library.cache_clear(), _known.cache_clear(), _network.cache_clear()
            try:
                network({rows}, 8, 4, 0, 3)
            except AssertionError:
                pass
            else:
                raise SystemExit("a wrong network is taken")
            """)
    )


def _target(c: Copy) -> None:
    """A device twice as slow as another."""
    text = (c.here / HOME / "target/data/xc7.toml").read_text()
    head, delays = text.split("[delay]\n")
    slow = "\n".join(_twice(line) for line in delays.splitlines())
    c.add(f"{HOME}target/data/slow.toml", f"# Twice the delays of xc7.\n{head}[delay]\n{slow}\n")
    c.run(
        textwrap.dedent("""\
            import cipherwright as cw
            from cipherwright.target import target_names
            assert "slow" in target_names()
            quick, slow = (cw.build("des-xilinx-16", target=t, interface="plain", key_lead=0)
                for t in ("xc7", "slow"))
            assert slow.record["period_ns_planned"] == 2 * quick.record["period_ns_planned"]
            ask("build", "des-small", "--set", "target=slow", "-o", "../core")
            assert "slow" in Path("../core/des_small.v").read_text()
            from tests.target.test_budgets import test_targets_are_complete_and_unknown_ones_refused
            test_targets_are_complete_and_unknown_ones_refused(Path(".."))
            """)
    )


def _twice(line: str) -> str:
    name, is_number, number = line.partition(" = ")
    return f"{name} = {2 * float(number)}" if is_number and not name.startswith("#") else line


def _with_values(text: str, values: Mapping[str, str]) -> str:
    """TOML of one value a line, with other values of some names."""
    lines = (line.partition(" = ") for line in text.splitlines())
    return "".join(f"{name}{mark}{values.get(name, value)}\n" for name, mark, value in lines)


def _board(c: Copy) -> None:
    """A board with another oscillator. Place and route of its bitstream takes minutes: not here."""
    text = (c.here / HOME / "board/data/ulx3s-85f.toml").read_text()
    mine = {"title": '"Mine"', "oscillator_mhz": "50.0", "oscillator": '"G3"'}
    c.add(f"{HOME}board/data/mine.toml", _with_values(text, mine))
    c.run(
        textwrap.dedent("""\
            import json
            ask("board", "mine", "des-small", "--no-bitstream", "-o", "../board")
            facts = json.loads(Path("../board/board.json").read_text())
            assert (facts["board"], facts["divisor"], facts["clock_mhz"]) == ("mine", 50, 50.0)
            assert Path("../board", f"{facts['top']}.v").read_text().count("endmodule")
            from cipherwright.board import load_board
            assert 'LOCATE COMP "osc_i" SITE "G3"' in load_board("mine").constraints(80.0)
            from tests.board.test_facts import test_board
            test_board("mine")
            """)
    )


def _preset(c: Copy) -> None:
    """DES in two stages. Its measurement takes minutes: not here, and the budget says so."""
    text = (c.here / HOME / "data/presets/des-small.toml").read_text()
    two = {"title": '"DES in two stages"', "stages": "2"}
    c.add(f"{HOME}data/presets/des-two.toml", _with_values(text, two))
    budget = '\n[[budget]]\npreset = "des-two"\ntarget = "ecp5-85k-8"\nunmeasured = "it is new"\n'
    c.change("benchmarks/budgets.toml", lambda text: text + budget)
    said = c.run(
        textwrap.dedent("""\
            import json
            written("status")
            ask("list")
            ask("build", "des-two", "-o", "../core")
            record = json.loads(Path("../core/record.json").read_text())
            assert (record["top"], record["stages"]) == ("des_two", 2)
            from tests.target.test_budgets import BUDGETS, test_committed_records
            from tests.target.test_budgets import test_every_preset_has_a_budget
            from tests.test_catalogue import test_presets_say_what_they_are
            test_every_preset_has_a_budget()
            test_committed_records(next(b for b in BUDGETS if b["preset"] == "des-two"), None)
            test_presets_say_what_they_are("des-two")
            assert written("status", "--check") == 0
            """)
    )
    assert "DES in two stages" in said
    assert "| `des-two` | DES in two stages |" in (c.here / "docs/status.md").read_text()


def _engine(c: Copy) -> None:
    """All rounds of DES as logic behind registers; the same from outside the package for another cipher."""
    source = c.home / "tests" / "added_engine"
    for path in (p for p in source.rglob("*") if p.suffix in (".py", ".toml", ".sv", ".sby")):
        c.add(f"{HOME}engine/once/{path.relative_to(source)}", path.read_text())
    c.change(f"{HOME}engine/__init__.py", in_import("from .once import ONCE_ENGINE"))
    c.change(f"{HOME}engine/__init__.py", in_table("ENGINES", "ONCE_ENGINE"))
    c.add(
        "tests/engine/test_once.py",
        '''"""The engine of one block: every check holds, and its control keeps its rules."""

import shutil
from pathlib import Path

from cipherwright.engine import ENGINES
from cipherwright.flow import generate
from cipherwright.shell import save
from cipherwright.spec import Spec
from cipherwright.tools import run
from cipherwright.verify import CoreFolder
from tests.proofs import sby


def test_it_holds(tmp_path: Path, root: Path) -> None:
    spec = Spec(name="once", cipher="des", architecture="engine", direction="encrypt")
    save(generate(spec), tmp_path / "once")
    found = ENGINES["des"].verify(CoreFolder.open(tmp_path / "once"), 20, lambda *a: None, False)
    assert [(v.check, v.passed) for v in found] == [
        ("files", True), ("independent library", True), ("proof", True)
    ], found
    sources = sorted(str(p) for p in (tmp_path / "once").iterdir() if p.suffix in (".v", ".sv"))
    run("iverilog", ["-g2012", "-o", str(tmp_path / "bench"), *sources])
    assert "PASS" in run("vvp", ["-n", str(tmp_path / "bench")]).stdout
    for file in (root / "src/cipherwright/engine/once/sv").iterdir():
        shutil.copy(file, tmp_path)
    assert "DONE (PASS" in sby(tmp_path, "", "once.sby")
''',
    )
    c.run(
        textwrap.dedent("""\
            from cipherwright import engine
            from cipherwright.engine.once import Once
            from cipherwright.spec import EngineOptions
            engine.register(Once(EngineOptions("sm4", "the engine from outside")))
            asked = ("cipher", "sm4"), ("architecture", "engine"), ("direction", "encrypt")
            Path("../other.toml").write_text("".join(f'{name} = "{value}"\\n' for name, value in asked))
            ask("build", "../other.toml", "-o", "../other")
            assert "Offer a block with its key." in Path("../other/README.md").read_text()
            engine.ENGINES.pop("sm4"), engine.ENGINE_OPTIONS.pop("sm4")
            from tests.engine.test_once import test_it_holds
            from tests.test_no_special_cases import test_engines_are_one_table
            test_it_holds(Path(".."), Path.cwd())
            test_engines_are_one_table()
            """)
    )


def _file_of_the_folder(c: Copy) -> None:
    """A list of the ports, separated by commas."""
    c.add(
        f"{HOME}shell/folder/port_list.py",
        '''"""The ports of a core, separated by commas."""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import Pin
from .text import filled

__all__ = ["port_list"]


def port_list(pins: Sequence[Pin]) -> str:
    """The text of TOP_ports.csv for ports `pins`."""
    return filled("port_list.j2", pins=pins)
''',
    )
    c.add(
        f"{HOME}shell/folder/templates/port_list.j2",
        "name,bits\n{% for p in pins %}{{ p.name }},{{ p.width }}\n{% endfor %}",
    )
    here = f"{HOME}shell/folder/__init__.py"
    c.change(here, in_import("from .port_list import port_list"))
    c.change(here, in_table("files", 'f"{core.top}_ports.csv": port_list(pins)'))
    c.change(f"{HOME}shell/folder/readme.py", in_table("_KINDS", '("_ports.csv", "the ports as a table")'))
    c.change("tests/test_cli.py", in_table("FOLDER", '"des_small_ports.csv"'))
    row = "| `TOP_ports.csv` | a table of ports |\n"
    c.change(
        "docs/guide/core-folder.md",
        lambda text: text.replace("| `record.json` |", f"{row}| `record.json` |", 1),
    )
    c.run(
        textwrap.dedent("""\
            ask("build", "des-small", "-o", "../core")
            assert "\\nblock_i,64\\n" in Path("../core/des_small_ports.csv").read_text()
            assert "| `des_small_ports.csv` | the ports as a table |" in Path("../core/README.md").read_text()
            from cipherwright.rebuild import check_built
            from cipherwright.verify import CoreFolder
            assert "as the generator makes them" in check_built(CoreFolder.open(Path("../core")))
            """),
        [
            "tests/shell/test_folder.py::test_files_agree[des-small]",
            "tests/test_cli.py::test_the_files_of_a_folder",
        ],
    )


def _bus(c: Copy) -> None:
    """Around any core a count of its results, whose control is written by hand. Its bench is one of Icarus
    Verilog, which starts sooner than one of cocotb.
    """
    written = f"{HOME}shell/sv/"
    c.add(
        f"{written}cipherwright_meter.sv",
        """\
// Counts the cycles in which event_i is 1.
`default_nettype none
module cipherwright_meter (
    input  wire       clk,
    input  wire       rst_i,
    input  wire       event_i,
    output reg  [7:0] count_o
);
    always @(posedge clk) begin
        if (rst_i) count_o <= 8'd0;
        else count_o <= count_o + {7'd0, event_i};
    end
endmodule
`default_nettype wire
""",
    )
    c.add(
        f"{written}cipherwright_meter_formal.sv",
        """\
// The count moves by one where there is an event, and only there.
`default_nettype none
module cipherwright_meter_formal (
    input wire clk,
    input wire event_i
);
    wire [7:0] count;
    cipherwright_meter dut (
        .clk(clk),
        .rst_i(1'b0),
        .event_i(event_i),
        .count_o(count)
    );
    reg known = 1'b0;
    reg [7:0] due;
    always @(posedge clk) begin
        known <= 1'b1;
        due <= count + {7'd0, event_i};
        if (known) assert (count == due);
    end
endmodule
`default_nettype wire
""",
    )
    c.add(
        f"{written}meter.sby",
        """\
[options]
mode prove
depth 2

[engines]
smtbmc yices

[script]
read -formal -sv cipherwright_meter.sv
read -formal -sv cipherwright_meter_formal.sv
prep -top cipherwright_meter_formal

[files]
cipherwright_meter.sv
cipherwright_meter_formal.sv
""",
    )
    c.add(
        f"{HOME}shell/meter.py",
        '''"""A count of a core's results, around any core."""

from __future__ import annotations

from ..rtl import ClockReset, Component, Group, Held, Part, Pin, Placed, Stream, connect
from .written import written_module

__all__ = ["metered"]

_COUNT = Held((Pin("count_o", 8, True, meaning="results since reset, modulo 256"),))
_METER: tuple[Group, ...] = (ClockReset(), Stream("event_i", ()), _COUNT)


def metered(core: Component, event: str) -> Component:
    """The component `core` with a port more: the cycles in which its output `event` was 1."""
    meter = written_module("cipherwright_meter.sv", _METER, 8)
    inner, ports = Part(core.name, core.ports, core.rate), (*core.ports, _COUNT)
    links = {"clk": "clk", "rst_i": "rst_i", "event_i": event, "count_o": "count_o"}
    placed = (
        Placed(inner, "u_core", {name: name for name in inner.pins}),
        Placed(Part(meter.name, _METER), "u_meter", links),
    )
    top = connect(f"{core.name}_metered", ("A core and the count of its results.",), ports, placed)
    return Component((*core.modules, meter, top), ports, core.rate)
''',
    )
    c.add(
        "tests/shell/test_meter.py",
        '''"""The meter keeps its rules, and counts what a core gives under every pattern of blocks."""

import shutil
from pathlib import Path

import pytest

from cipherwright.flow import generate
from cipherwright.rtl import print_wrapper
from cipherwright.shell.meter import metered
from cipherwright.spec import load
from cipherwright.tools import run
from tests.proofs import sby

HOME = Path("src/cipherwright/shell/sv")


def test_its_rules_hold(root: Path, tmp_path: Path) -> None:
    for name in ("cipherwright_meter.sv", "cipherwright_meter_formal.sv", "meter.sby"):
        shutil.copy(root / HOME / name, tmp_path)
    assert "DONE (PASS" in sby(tmp_path, "", "meter.sby")
    text = (tmp_path / "cipherwright_meter.sv").read_text()
    (tmp_path / "cipherwright_meter.sv").write_text(text.replace("event_i};", "1\'b1};"))
    assert "DONE (PASS" not in sby(tmp_path, "", "meter.sby")


def test_it_counts_results(root: Path, tmp_path: Path) -> None:
    core = generate(load("des-small"))
    around = metered(core.component, "valid_o")
    assert around.flip_flops == core.component.flip_flops + 8
    with pytest.raises(ValueError, match="u_meter.event_i has 1 bits, but block_o has 64"):
        metered(core.component, "block_o")
    (tmp_path / "core.v").write_text(core.files["des_small.v"] + print_wrapper(around.top))
    (tmp_path / "bench.v").write_text("""module bench;
    reg clk = 0, rst = 1, valid = 0; wire ready, found; wire [7:0] count; integer i, idle, taken = 0;
    des_small_metered dut (.clk(clk), .rst_i(rst), .valid_i(valid), .ready_o(ready), .decrypt_i(1\'b0),
        .key_i(64\'d1), .block_i(64\'d2), .valid_o(found), .block_o(), .count_o(count));
    always #5 clk = ~clk;
    always @(posedge clk) if (valid && ready && !rst) taken = taken + 1;
    initial begin
        repeat (3) @(negedge clk); rst = 0;
        for (idle = 0; idle < 3; idle = idle + 1)
            for (i = 0; i < 100; i = i + 1) begin valid = i % (idle + 1) == 0; @(negedge clk); end
        valid = 0; repeat (40) @(negedge clk);
        if (taken > 10 && count === taken[7:0]) $display("PASS"); else $display("%d %d", taken, count);
        $finish;
    end
endmodule""")
    sources = (tmp_path / "core.v", tmp_path / "bench.v", root / HOME / "cipherwright_meter.sv")
    run("iverilog", ["-g2012", "-o", str(tmp_path / "bench"), *map(str, sources)])
    assert "PASS" in (said := run("vvp", ["-n", str(tmp_path / "bench")]).stdout), said
''',
    )
    c.run(
        textwrap.dedent("""\
            from tests.shell.test_meter import test_it_counts_results, test_its_rules_hold
            test_it_counts_results(Path.cwd(), Path(".."))
            test_its_rules_hold(Path.cwd(), Path(".."))
            """)
    )


def _page(c: Copy) -> None:
    """A page with a block that runs. The whole site is built by its own test, which takes half a minute."""
    c.add(
        "docs/guide/colours.md",
        "# Colours\n\nNone but [options](options.md).\n\n```sh\ncipherwright --help > here\n```\n",
    )
    c.change(
        "mkdocs.yml",
        lambda text: text.replace("  - Ciphers:\n", "      - Colours: guide/colours.md\n  - Ciphers:\n"),
    )
    c.change("tests/test_docs.py", in_table("PAGES", '"docs/guide/colours.md"'))
    c.run(
        textwrap.dedent("""\
            from mkdocs.config import load_config
            from mkdocs.structure.files import get_files
            from mkdocs.structure.nav import get_navigation
            site = load_config("mkdocs.yml", hooks=[], plugins=[])
            pages = get_navigation(get_files(site), site).pages
            (mine,) = (p for p in pages if p.title == "Colours")
            assert mine.url == "guide/colours.html" and mine.parent.title == "Guides"
            from tests.test_docs import PAGES, test_code_blocks_run, test_named_files_exist
            assert "docs/guide/colours.md" in PAGES
            test_code_blocks_run("docs/guide/colours.md", Path.cwd(), Path(".."))
            test_named_files_exist("docs/guide/colours.md", Path.cwd())
            assert "Usage" in Path("../here").read_text()
            """)
    )


RECIPES: dict[str, tuple[str, Callable[[Copy], None]]] = {
    "A command": ("stages", _command),
    "An option": ("tint", _option),
    "An operation": ("nand", _operation),
    "An S-box realisation": ("products", _realisation),
    "A linear layer": ("mine", _linear_layer),
    "A target": ("slow", _target),
    "A board": ("mine", _board),
    "A preset": ("des-two", _preset),
    "An engine": ("once", _engine),
    "A file of the core folder": ("port_list", _file_of_the_folder),
    "A mode or bus": ("meter", _bus),
    "A page": ("colours", _page),
}
"""Heading -> what stands for NAME, and what follows the recipe."""

ELSEWHERE = {"A cipher": "tests/test_skeleton.py"}
"""Recipes with a test of their own."""


@pytest.fixture(scope="module")
def home(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as it is."""
    pristine(root, here := tmp_path_factory.mktemp("pristine"))
    return here


def test_every_recipe_is_followed(root: Path) -> None:
    found = recipes((root / "CONTRIBUTING.md").read_text())
    assert found.keys() == RECIPES.keys() | ELSEWHERE.keys()
    for heading, test in ELSEWHERE.items():
        assert f"`{test}` follows that recipe" in found[heading] and (root / test).is_file()


@pytest.mark.parametrize("heading", RECIPES)
def test_a_recipe_does_what_it_says(heading: str, home: Path, tmp_path: Path) -> None:
    recipe = recipes((home / "CONTRIBUTING.md").read_text())[heading]
    name, follow = RECIPES[heading]
    copy = Copy.make(home, tmp_path / "copy", recipe, name)
    there = copy.files().keys()
    follow(copy)
    assert differences(named_files(recipe, name), copy.touched(), there) == []


def test_a_recipe_that_forgets_a_file_is_seen(home: Path, tmp_path: Path) -> None:
    """A file that is not named, one that need not change, and one of many that was left out."""
    recipe = recipes((home / "CONTRIBUTING.md").read_text())["A target"]
    copy = Copy.make(home, tmp_path / "copy", recipe, "slow")
    there = copy.files().keys()
    assert copy.touched() == set()
    for data in ("slow", "other"):
        copy.add(f"{HOME}target/data/{data}.toml", "")
    copy.change(f"{HOME}target/data/xc7.toml", lambda text: text + "\n")
    assert differences(named_files(recipe, "slow"), copy.touched(), there) == [
        f"the recipe does not name {HOME}target/data/{n}.toml" for n in ("other", "xc7")
    ]
    named = named_files(
        "\n\nFiles: `cli/NAME.py`, `engine/NAME/`, `target/data/xc*.toml`,\n`mkdocs.yml`.", "x"
    )
    assert named == [
        f"{HOME}cli/x.py",
        f"{HOME}engine/x/",
        f"{HOME}target/data/xc*.toml",
        "mkdocs.yml",
    ]
    touched = {f"{HOME}engine/x/a.py", f"{HOME}target/data/xc7.toml", "mkdocs.yml"}
    assert differences(named, touched, there) == [
        f"the recipe names {HOME}{n}, which stays as it is"
        for n in ("cli/x.py", "target/data/xc5v.toml", "target/data/xcv.toml", "target/data/xcve.toml")
    ]
    with pytest.raises(AssertionError, match=r"does not name tests/test_cli\.py::test_list_json"):
        copy.run("", ["tests/test_cli.py::test_list_json"])
