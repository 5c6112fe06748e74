"""What users get wrong, as tables: the command line or change, and a part of the sentence that answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KEY = "133457799bbcdff1"
KEY128 = KEY * 2

DESK: dict[str, bytes] = {
    "IN": bytes(16),
    "ODD": bytes(13),
    "EMPTY": b"",
    "MORE": bytes(17),
    "KEY": f"{KEY[:8]} {KEY[8:]}\n".encode(),
    "NOHEX": b"not a key\n",
    "BINARY": bytes(range(128, 136)),
    "SHORT": b"1334",
    "BAD.toml": b"cipher = ",
    "LATIN.toml": b'cipher = "d\xe9s"',
    "EMPTY.toml": b"",
    "empty.toml": b"",
    "list.toml": b"[[cipher]]\nname = 3\n",
    "table.toml": b'name = "x"\n[core]\ncipher = "des"\nkey_bits = 64\n',
    "deep.toml": b'[tool."a\\nb"]\nkeys = [1]\n',
    "DEEP.toml": b"a = " + b"[" * 5000,
    "HUGE.toml": b'cipher = "des"\nkey_bits = ' + b"9" * 5000,
    "nan.toml": b'cipher = "des"\nstages = 20\nclock_mhz = nan\n',
    "text.toml": b'cipher = "des"\nkey_bits = "many"\nstages = 20\n',
    "date.toml": b"cipher = 2026-01-01\nkey_bits = 64\n",
    "nul.toml": b'cipher = "des\\u0000"\nkey_bits = 64\nstages = 20\n',
    "LINE.toml": b'cipher = "des"\nkey_bits = 64\nstages = 20\nname = "a\\nb"\n',
    "module.toml": b'cipher = "des"\nkey_bits = 64\nstages = 20\n',
    "TOP.toml": b'cipher = "des"\nkey_bits = 64\nstages = 20\nname = "-x"\n',
    "BOTH.toml": b'cipher = "des"\ncipher = "aes"\n',
    "JUNK.lib": b"\x7fELF\x00\x01",
    "EMPTY.lib": b"",
    "HALF.lib": b"library (x) {",
    "POOR.lib": b"library (x) { cell (INV) { area : 1; } }",
}
"""Files that are on the desk."""

DES = ["encrypt", "des-fast", "--key", KEY]
CTR = ["encrypt", "aes128-fast-ctr", "--key", KEY128]

XTS = ["aes128-xts-small", "--key", f"{KEY128}{KEY[::-1] * 2}", "--iv", "0" * 32, "--unit-bytes", "16"]

CELLS = ["implement", "des-small", "--target", "osu018"]

CHANNELS = ["build", "aes-gcm-small", "--set", "channels=2"]

COMMANDS: list[tuple[list[str], str]] = [
    (["nonsense"], "no such command 'nonsense'; cipherwright -h tells more"),
    (
        ["encrypt", *XTS, "MORE", "OUT"],
        "the last unit of MORE would have 1 byte, and a unit has at least 16: give another --unit-bytes",
    ),
    (["build"], "missing argument"),
    (["build", "des-fast"], "missing option"),
    (
        ["build", "des-fast", "more", "-o", "OUT"],
        "unexpected extra argument (more); cipherwright build -h tells more",
    ),
    (["list", "--bogus"], "no such option: --bogus"),
    (["list", "--js"], "no such option: --js (there is --json); "),
    (["verify", "FOLDER", "--blocks", "0"], "invalid value for '--blocks'"),
    (["verify", "FOLDER", "--blocks", "x"], "invalid value for '--blocks': it takes a whole number;"),
    (["verify", "FOLDER", "--monte", "-1"], "invalid value for '--monte': it takes at least 1;"),
    (["implement", "des-fast", "--seeds", "65"], "invalid value for '--seeds': it takes at most 64;"),
    (["build", "des", "--clock", "fast", "-o", "OUT"], "invalid value for '--clock': it takes a number;"),
    (["implement", "des-fast", "--seeds"], "requires an argument"),
    (["encrypt", "des-fast", "IN"], "missing argument 'OUT'"),
    (["build", "des-fast", "--set", "-o", "OUT"], "missing option '-o'"),
    (
        ["build", "aes-small", "--set", "key=static", "--set", "key_expansion=unit", "-o", "OUT"],
        "no number of stages can hold this design with hops = ['load']",
    ),
    (
        ["build", "des-small", "--set", "name=clk", "-o", "OUT"],
        "clk is a port of this core, which can't have",
    ),
    (
        ["build", "des-small", "--set", "name=m-axis-tuser", "--set", "interface=axi-stream", "-o", "OUT"],
        "m_axis_tuser is a port of this core, which can't have the same name: choose another name",
    ),
    (["reproduce", "des-ibm"], "there is no paper des-ibm; there are aes-gmu, des-xilinx"),
    (["reproduce", "des-xilinx", "--plots", "NOWHERE"], "there is no folder NOWHERE for the plots"),
    (["build", "des-fast", "--picture", "gif", "-o", "OUT"], "--picture is svg or png, not gif"),
    (["build", "rijndael-ucla", "--picture", "svg", "-o", "OUT"], "an engine has none"),
    (
        [*CHANNELS, "--set", "interface=registers", "--set", "control=apb", "-o", "OUT"],
        "channels = 2 needs interface = plain or axi-stream, not interface = registers: words of messages "
        "over registers are driven and checked in one core alone",
    ),
    (
        ["build", "aes128-cmac-small", "--set", "channels=2", "-o", "OUT"],
        "channels = 2 needs mode = gcm, not mode = cmac; the preset asks for mode = 'cmac'",
    ),
    (
        [*CHANNELS, "--set", "interface=axi-stream", "--set", "tdata_bits=48", "-o", "OUT"],
        "tdata_bits = 48 is none of 32, 64, 128, 256, 512 and not a block of 128 bits",
    ),
    ([*CHANNELS, "--set", "tid_bits=2", "-o", "OUT"], "tid_bits = 2 needs interface = axi-stream"),
    (
        ["board", "ulx3s-85f", "aes-gcm-small", *CHANNELS[2:], "--set", "interface=axi-stream", "-o", "OUT"],
        "a board takes no core with several channels, and aes_gcm_small has 2",
    ),
]

PRESETS: list[tuple[str, str]] = [
    ("des-fats", "there is no preset or TOML file des-fats; did you mean des-fast?"),
    ("", "there is no preset or TOML file with an empty name; cipherwright list shows them"),
    ("a\nb", "there is no preset or TOML file a b"),
    ("\x1b[31m", "there is no preset or TOML file ?[31m"),
    ("[/red]", "there is no preset or TOML file [/red]"),
    ("../presets/des-fast", "there is no preset or TOML file"),
    ("x" * 5000, "there is no preset or TOML file"),
    ("NONE.toml", "there is no file NONE.toml"),
    ("FOLDER.toml", "there is no file FOLDER.toml"),
    ("DANGLING.toml", "there is no file DANGLING.toml"),
    ("BAD.toml", "BAD.toml is no valid TOML"),
    ("BOTH.toml", "BOTH.toml is no valid TOML"),
    ("LATIN.toml", "LATIN.toml is no valid TOML: it is not UTF-8 text"),
    ("DEEP.toml", "DEEP.toml can't be read: lists in it are nested too deeply"),
    ("HUGE.toml", "HUGE.toml can't be read: a number in it has too many digits"),
    ("EMPTY.toml", "write name = \"empty\" in 'EMPTY.toml', or give it with --set"),
    ("empty.toml", "cipher is not given; `cipherwright list --options` says what it is"),
    ("list.toml", "list.toml has a table [[cipher]], and an option is in no table"),
    (
        "table.toml",
        "table.toml has a table [core], and an option is in no table: leave the line [core] out, so that "
        'what is below it stands at the top level, such as cipher = "des"',
    ),
    ("deep.toml", 'has a table [tool."a\\nb"], and an option is in no table'),
    ("nan.toml", "clock_mhz is a finite number, not nan; nan.toml asks for clock_mhz = nan"),
    ("text.toml", "key_bits is a whole number, not "),
    ("date.toml", "cipher is a text, not "),
    ("nul.toml", "cipher: a text is one line of printable characters"),
    ("LINE.toml", "name"),
    ("TOP.toml", "name"),
    ("module.toml", "keyword"),
]

SETS: list[tuple[str, str, str]] = [
    ("des-fast", "stages", "--set takes KEY=VALUE, not 'stages'"),
    ("des-fast", "=3", "--set takes KEY=VALUE, not '=3'"),
    ("des-fast", "", "--set takes KEY=VALUE, not ''"),
    ("des-fast", "stagse=9", "there is no option stagse; did you mean stages?"),
    ("des-fast", "a\nb=9", "there is no option a b"),
    (
        "des-fast",
        "cipher=rot13",
        "there is no cipher rot13; there are aes, rijndael, des, tdes, khazad, misty1",
    ),
    ("des-fast", "mode=gmc", "cmac or hctr2, not 'gmc'; did you mean gcm?"),
    ("des-fast", "keep_levels=ja", "keep_levels is true or false, not 'ja'"),
    ("des-fast", "stages=ten", "stages is a whole number, not 'ten'"),
    ("des-fast", "stages=true", "stages is a whole number, not true"),
    ("des-fast", "linear_depth=false", "linear_depth is a whole number, not false"),
    ("des-fast", "clock_mhz=true", "clock_mhz is a number, not true"),
    ("des-fast", "zzzzzz=1", "there is no option zzzzzz; `cipherwright list --options` shows all"),
    (
        "des-fast",
        "nonce_bytes=12",
        "nonce_bytes = 12 needs architecture = iterative and mode = ccm, not architecture = pipelined",
    ),
    (
        "aes128-ccm-small",
        "architecture=pipelined",
        "mode = ccm needs architecture = iterative, not architecture = pipelined: every block of a message "
        "waits for the one before",
    ),
    (
        "aes-hctr2-small",
        "message_bytes=96",
        "message_bytes is at least 128, not 96",
    ),
    (
        "aes-hctr2-small",
        "message_bytes=3000",
        "the buffer of texts has a power of two of bytes, not 3000",
    ),
    (
        "aes-hctr2-small",
        "digit_bits=9",
        "mode = hctr2 needs digit_bits = 0, 1, 2, 4, 8, 16 or 32, not 9",
    ),
    (
        "aes-hctr2-small",
        "interface=registers",
        "mode = hctr2 needs interface = plain or axi-stream, not interface = registers: its results have",
    ),
    ("des-small", "mode=hctr2", "mode = hctr2 needs block_bits = 128 or 256, not block_bits = 64"),
    ("aes-small", "mode=hctr2", "mode = hctr2 needs direction = both, not direction = encrypt"),
    (
        "aes128-fast",
        "mode=hctr2",
        "mode = hctr2 needs architecture = iterative, not architecture = pipelined: a text goes through",
    ),
    ("des-fast", "sbox=magic", "there is no S-box realisation magic"),
    ("des-fast", "key_bits=56", "des takes keys of 64 bits, not 56"),
    ("des-fast", "block_bits=65", "blocks of"),
    ("des-fast", "target=asic", "there is no target asic"),
    ("des-fast", "target=../data/xcv", "there is no target ../data/xcv"),
    (
        "des-fast",
        "stages=3",
        "3 stages can't hold this design; it takes stages = 34 or more; with copies = 0 and hops = none it "
        "takes stages = 1 or more",
    ),
    ("des-fast", "stages=0", "stages is at least 1, not 0"),
    ("des-fast", "stages=-5", "stages is at least 1, not -5"),
    ("des-fast", "stages=1e9", "stages is at most 4096, not 1000000000"),
    ("des-fast", "stages=99999999999999999999", "stages is at most 4096, not 9999"),
    ("des-fast", "stages=none", "ask for stages, clock_mhz, or both"),
    ("des-fast", "input_delay=100%", "input_delay: a delay at a port is a share of the period below 100%"),
    ("des-fast", "output_delay=-1", "output_delay: a delay at a port is a share of the period below 100%"),
    ("des-fast", "output_delay=x", "or a number of ns"),
    ("des-fast", "input_delay=99", "input_delay = 99 ns leaves nothing of the planned period of"),
    ("des-fast", "clock_mhz=0", "clock_mhz is above 0, not 0"),
    ("des-fast", "clock_mhz=nan", "clock_mhz is a finite number, not nan"),
    ("des-fast", "clock_mhz=inf", "clock_mhz is a finite number, not inf"),
    ("des-xilinx-16", "clock_mhz=400", "16 stages reach"),
    (
        "des-fast",
        "clock_mhz=5000",
        "no number of stages reaches that period: one operation (lut4) takes 2.370 ns",
    ),
    (
        "des-fast",
        "architecture=iterative",
        "an iterative core has 1 to 64 stages in its loop, not stages = 81; the preset asks for stages = 81",
    ),
    (
        "aes128-fast",
        "architecture=iterative",
        "an iterative core has 1 to 64 stages in its loop, not stages = 92; the preset asks for stages = 92",
    ),
    ("des-small", "stages=65", "an iterative core has 1 to 64 stages in its loop, not stages = 65"),
    ("des-fast", "stages_per_round=3", "stages = 81, stages_per_round = 3: give one of them"),
    (
        "des-fast",
        "fifo_depth=64",
        "fifo_depth = 64 needs interface = stream or axi-stream, not interface = plain",
    ),
    ("des-fast", "hops=[1]", "item 1 of hops is a text, not 1"),
    ("des-fast", 'hops=["x\\ny"]', "hops: a text is one line of printable characters"),
    ("des-fast", "name=UPPER", "name"),
    ("des-fast", "name=input", "keyword"),
    ("aes128-gcm", "lanes=3", "mode = gcm has lanes = 1 or 2 or 4, not 3"),
    (
        "des-fast",
        "lanes=2",
        "lanes = 2 needs mode = ctr or gcm, block_bits = 128, key_expansion = unit, not mode = ecb, "
        "block_bits = 64, key_expansion = logic",
    ),
    (
        "des-fast",
        "datapath_bits=32",
        (
            "datapath_bits = 32 needs architecture = iterative, not architecture = pipelined; the preset "
            "asks "
            "for"
        ),
    ),
    (
        "camellia-fast",
        "fuse_linear=true",
        "common_basis = true needs fuse_linear = false, not fuse_linear = true",
    ),
    ("camellia-fast", "sbox=table", "common_basis = true needs sbox = tower, not sbox = table"),
    ("des-fast", "rounds=8", "the number of rounds of DES is fixed"),
    ("des-fast", "tdata_bits=64", "tdata_bits = 64 needs interface = axi-stream, not interface = plain"),
    ("des-fast", "tid_bits=4", "tid_bits = 4 needs interface = axi-stream, not interface = plain"),
    (
        "aes128-fast-ctr",
        "key_slots=2",
        "mode = ctr: in other modes of a pipeline key = agile gives every block a key of its own",
    ),
    (
        "aes-gcm-small",
        "target=xc7",
        "the delays of block RAM on xc7 are not known, so no stages can be planned: take "
        "block_ram_boxes = 0, and another sbox than block_ram",
    ),
    (
        "aes128-gcm",
        "packet_keys=announced",
        "packet_keys = announced needs key_slots = 2, not key_slots = 1: one key is loaded while packets",
    ),
    (
        "des-fast",
        "control=apb",
        "control = apb needs interface = axi-stream or registers, not interface = plain",
    ),
    ("des-fast", "reset=false", "needs interface = paper, not interface = plain: any other core needs rst_i"),
    (
        "des-fast",
        "mode=cbc",
        "needs the result of the block before, so a pipeline can't take a block every cycle",
    ),
    ("des-fast", "readable_keys=true", "needs architecture = engine, not architecture = pipelined"),
    (
        "des-small",
        "rounds_per_cycle=17",
        "a loop of des has 1 to 16 steps a cycle, not rounds_per_cycle = 17",
    ),
    (
        "misty1-small",
        "stages=2",
        "2 stages can't hold this design; it takes stages = 4 or more; with copies = 0 and hops = none it "
        "takes stages = 1 or more",
    ),
    (
        "khazad-small",
        "stages=2",
        "2 stages can't hold this design; it takes stages = 3 or more; with copies = 0 it takes stages = 1 "
        "or more",
    ),
    (
        "des-small",
        "lanes=3",
        "lanes = 3 needs architecture = pipelined and mode = ctr or gcm, not architecture = iterative",
    ),
    ("des-small", "key_lead=1", "key_lead = 1 needs architecture = pipelined, not architecture = iterative"),
    (
        "des-small",
        "key=static",
        "key = static in a loop needs key_expansion = unit, not key_expansion = logic; without a unit",
    ),
    (
        "des-small",
        "interface=paper",
        "needs interface = plain or stream or axi-stream or registers, not interface = paper",
    ),
    (
        "khazad-small",
        "rounds_per_cycle=10",
        "a loop of khazad has 1 to 9 steps a cycle, not rounds_per_cycle = 10",
    ),
    (
        "mars-small",
        "rounds_per_cycle=35",
        "a loop of mars has 1 to 34 steps a cycle, not rounds_per_cycle = 35",
    ),
    ("aes-tiny", "datapath_bits=64", "AES has no datapath of 64 bits, only of 32 bits and of whole blocks"),
    ("misty1-small", "rounds=7", "MISTY1 has an even number of rounds, not 7"),
    ("rijndael-ucla", "stages=4", "stages = 4 needs architecture = pipelined or iterative"),
    ("aes-small", "interface=paper", "interface"),
    ("aes", "stages=4", "key_bits is not given: AES has keys of 128, 192, 256 bits"),
    ("des-xilinx-16", "fifo_depth=4000000000", "fifo_depth is at most 65536, not 4000000000"),
]

KEYS: list[tuple[list[str], str, str]] = [
    (
        ["--key", "133457799bbcdff"],
        "",
        "the key has 15 hexadecimal digits, an odd number; this core takes 64 bits, 16 hexadecimal digits",
    ),
    (
        ["--key", "1"],
        "",
        "the key has 1 hexadecimal digit, an odd number; this core takes 64 bits, 16 hexadecimal digits",
    ),
    (["--key", "0x" + KEY], "", "the key begins with 0x; give the 16 hexadecimal digits alone"),
    (["--key", "0X" + KEY], "", "the key begins with 0x"),
    (["--key", "13345779zzbcdff1"], "", "the key is not hexadecimal: give 16 digits 0-9, a-f"),
    (["--key", "1334577९9bbcdff1"], "", "the key is not hexadecimal"),
    (["--key", "1334"], "", "the key has 16 bits; this core takes 64 bits, 16 hexadecimal digits"),
    (["--key", KEY128], "", "the key has 128 bits; this core takes 64 bits"),
    (["--key", " "], "", "the key is empty; this core takes 64 bits"),
    (["--key", ""], "", "no key is given: name one of --key HEX, --key - (standard input), --key-file FILE"),
    ([], "", "no key is given"),
    (["--key", KEY, "--key-file", "KEY"], "", "--key and --key-file are both given"),
    (["--key-file", "NONE"], "", "can't read the key in NONE: No such file or directory"),
    (["--key-file", "FOLDER"], "", "can't read the key in FOLDER: Is a directory"),
    (["--key-file", "DANGLING"], "", "can't read the key in DANGLING"),
    (["--key-file", "LOOP"], "", "can't read the key in LOOP"),
    (["--key-file", "EMPTY"], "", "the key in EMPTY is empty"),
    (["--key-file", "NOHEX"], "", "the key in NOHEX is not hexadecimal"),
    (["--key-file", "BINARY"], "", "the key in BINARY is not hexadecimal text"),
    (["--key-file", "SHORT"], "", "the key in SHORT has 16 bits"),
    (["--key", "-"], "", "the key on standard input is empty"),
    (["--key", "-"], "12 34 5\n", "the key on standard input has 5 hexadecimal digits, an odd number"),
    (["--key", "-"], "secret\n", "the key on standard input is not hexadecimal"),
]

FILES: list[tuple[list[str], str]] = [
    ([*CTR, "IN", "OUT"], "mode ctr takes the first counter block: give --iv with 32 hexadecimal digits"),
    ([*CTR, "--iv", KEY, "IN", "OUT"], "the IV has 64 bits; this core takes 128 bits"),
    ([*CTR, "--iv", KEY128[1:], "IN", "OUT"], "the IV has 31 hexadecimal digits, an odd number"),
    ([*CTR, "--iv", "0x" + KEY128, "IN", "OUT"], "the IV begins with 0x"),
    (
        ["encrypt", "aes128-xts", "--key", KEY128 + KEY128[::-1], "--iv", "2a", "IN", "OUT"],
        "the IV has 8 bits; this core takes 128 bits, 32 hexadecimal digits: the number's least significant "
        "byte comes first, so that of unit 42 is 2a and 30 zeros",
    ),
    (
        ["encrypt", "aes128-gcm", "--key", KEY128, "--iv", 24 * "0", "--aad", "0x00", "IN", "OUT"],
        "the additional data begins with 0x; give the hexadecimal digits alone",
    ),
    ([*CTR, "--iv", KEY128, "EMPTY", "OUT"], "EMPTY has 0 bytes, and CTR takes one byte or more"),
    ([*DES, "--iv", KEY, "IN", "OUT"], "mode ecb takes no IV; leave --iv away"),
    ([*DES, "ODD", "OUT"], "ODD has 13 bytes, and ECB takes one or more whole blocks of 8; pad it first"),
    ([*DES, "EMPTY", "OUT"], "EMPTY has 0 bytes"),
    ([*DES, "NONE", "OUT"], "can't read NONE: No such file or directory"),
    ([*DES, "FOLDER", "OUT"], "can't read FOLDER: Is a directory"),
    ([*DES, "DANGLING", "OUT"], "can't read DANGLING"),
    ([*DES, "LOOP", "OUT"], "can't read LOOP"),
    ([*DES, "x" * 300, "OUT"], "File name too long"),
    ([*DES, "IN", "FOLDER"], "can't write to FOLDER: it is a folder"),
    ([*DES, "IN", "IN"], "IN is the file that is read; name another one for the result"),
    (
        ["encrypt", "des-small", "--key-file", "KEY", "IN", "KEY"],
        "KEY is the file that is read; name another one for the result",
    ),
    (
        [*("encrypt", "aes128-gcm", "--key", KEY128, "--iv", 24 * "0"), "--aad-file", "ODD", "IN", "ODD"],
        "ODD is the file that is read; name another one for the result",
    ),
    ([*DES, "IN", "NOWHERE/OUT"], "can't write to NOWHERE/OUT: its folder does not exist"),
    ([*DES, "IN", "IN/OUT"], "can't write to IN/OUT"),
    ([*DES, "IN", "DANGLING"], "can't write to DANGLING"),
    ([*DES, "IN", "LOOP/OUT"], "can't write to LOOP/OUT"),
    (
        ["build", "des-small", "-o", "FOLDER"],
        "the output FOLDER exists; choose another folder or remove it first",
    ),
    (["build", "des-small", "-o", "IN"], "the output IN exists"),
    (["build", "des-small", "-o", "DANGLING"], "the output DANGLING exists"),
    (["build", "des-small", "-o", "LOOP"], "the output LOOP exists"),
    (["build", "des-small", "-o", ""], "exists"),
    (["build", "des-small", "-o", "NOWHERE/core"], "the folder NOWHERE for the output does not exist"),
    (["build", "des-small", "-o", "IN/core"], "the folder IN for the output does not exist"),
    (["build", "des-small", "-o", "x" * 300], "File name too long"),
    (["build", "des-small", "-o", "/proc/core"], "can't write to /proc/core"),
    (["implement", "des-small", "--target", "none"], "there is no target none"),
    (["implement", "des-small", "--target", "NONE.lib"], "there is no Liberty file NONE.lib"),
    (["implement", "des-small", "--target", "FOLDER.lib"], "there is no Liberty file FOLDER.lib"),
    (
        ["implement", "des-small", "--target", "JUNK.lib"],
        "JUNK.lib is no Liberty file: it has no library(...) group",
    ),
    (["implement", "des-small", "--target", "EMPTY.lib"], "EMPTY.lib is no Liberty file"),
    (
        ["implement", "des-small", "--target", "HALF.lib"],
        "HALF.lib is no Liberty file: its braces do not match",
    ),
    (["implement", "des-small", "--target", "POOR.lib"], "POOR.lib has no flip-flop that may be used"),
    (
        ["implement", "des-small", "--dont-use", "TIE*"],
        "--dont-use is for cell libraries, and ecp5-85k-8 is none",
    ),
    (
        ["implement", "des-small", "--target", "osu018", "--dont-use", "NOSUCH*"],
        "--dont-use NOSUCH* names no cell of osu018_stdcells.lib",
    ),
    (
        ["implement", "des-small", "--corner", "slow=A.lib"],
        "--corner is for cell libraries, and ecp5-85k-8 is none",
    ),
    ([*CELLS, "--corner", "A.lib"], "--corner takes NAME=FILE.lib, not 'A.lib'"),
    ([*CELLS, "--corner", "a=A.lib", "--corner", "a=B.lib"], "--corner a is given twice"),
    ([*CELLS, "--corner", "a/b=A.lib"], "a corner's name is of letters, digits and underscores, not 'a/b'"),
    ([*CELLS, "--corner", "osu018=JUNK.lib"], "the library that is mapped to is the corner osu018"),
    ([*CELLS, "--corner", "slow=NONE.lib"], "there is no Liberty file NONE.lib for the corner slow"),
    ([*CELLS, "--corner", "slow=JUNK.lib"], "JUNK.lib is no Liberty file: it has no library(...) group"),
    (["implement", "NOWHERE"], "there is no preset or TOML file NOWHERE"),
    (["implement", "DANGLING"], "there is no preset or TOML file DANGLING"),
    (["implement", "FOLDER"], "FOLDER is no core folder"),
    (["verify", "FOLDER"], "FOLDER is no core folder: it has no record.json"),
    (["verify", "NOWHERE"], "NOWHERE is no core folder"),
    (["verify", "IN"], "IN is no core folder"),
    (["verify", "DANGLING"], "DANGLING is no core folder"),
    (["verify", "FOLDER", "--cipher", "NONE.py"], "FOLDER is no core folder"),
    (["encrypt", "FOLDER", "--key", KEY, "IN", "OUT"], "FOLDER is no core folder"),
    (["encrypt", "NOWHERE", "--key", KEY, "IN", "OUT"], "there is no preset or TOML file NOWHERE"),
    (["decrypt", "des-small", "--cipher", "NONE.py", "--key", KEY, "IN", "OUT"], "can't read NONE.py"),
    (["build", "NONE.py", "-o", "OUT"], "there is no file NONE.py"),
    (["new", "mine", "-o", "NOWHERE"], "there is no folder NOWHERE for the files"),
]

RECORDS: list[tuple[Callable[[dict[str, Any]], object], int, str]] = [
    (lambda r: r.pop("top"), 2, "top: Field required"),
    (lambda r: r.pop("parameters"), 2, "parameters: Field required"),
    (lambda r: r.pop("ports"), 2, "ports and slots are missing"),
    (lambda r: r.update(top="x; shell touch pwned"), 2, "record.json is damaged (top"),
    (lambda r: r.update(top=["des"]), 2, "record.json is damaged (top"),
    (lambda r: r.update(latency_cycles="x"), 2, "record.json is damaged (latency_cycles"),
    (lambda r: r["files"].update({"../../x.v": "0" * 64}), 2, "record.json is damaged (files"),
    (lambda r: r["files"].update({"x.v; exec": "0" * 64}), 2, "record.json is damaged (files"),
    (lambda r: r["ports"].update(clk="a) ; module"), 2, "record.json is damaged (ports.clk"),
    (lambda r: r["parameters"].update(cipher="../x"), 2, "there is no cipher ../x"),
    (lambda r: r["parameters"].update(stages="x"), 2, "stages"),
    (lambda r: r["parameters"].update(sbox=None), 2, "sbox"),
    (lambda r: r["parameters"].update(surprise=1), 2, "there is no option surprise"),
    (
        lambda r: r["parameters"].update(target="/etc/passwd.lib"),
        2,
        "there is no Liberty file /etc/passwd.lib",
    ),
    (lambda r: r["parameters"].update(mapping="; shell id"), 2, "mapping"),
    (lambda r: r.update(generator="9.9"), 2, "was built by another version of Cipherwright"),
    (lambda r: r.update(given={}), 2, "is damaged"),
    (lambda r: r.update(slots=2), 1, "record.json was changed after it was built: slots"),
    (lambda r: r.update(digest="0" * 64), 1, "record.json was changed after it was built: digest"),
]
"""A change of a core's record, the exit status, the sentence."""

VECTORS: list[tuple[bytes, str]] = [
    (b"{", "line 1 of"),
    (b"\n", "line 1 of"),
    (b"[]\n", "line 1 of"),
    (b'{"mode": "ecb", "key": "00"}\n', "line 1 of"),
    (b'{"mode": "ecb", "key": "0g", "pt": "", "ct": "", "source": ""}\n', "line 1 of"),
    (b'{"mode": "ecb", "key": "000", "pt": "", "ct": "", "source": ""}\n', "line 1 of"),
    (b'{"mode": "ecb", "key": 7, "pt": "", "ct": "", "source": ""}\n', "line 1 of"),
    (b'{"mode": "ecb", "key": "00", "pt": "", "ct": "", "source": "", "iterations": "2"}\n', "line 1 of"),
    (b'{"mode": "ecb", "key": "00", "pt": "", "ct": "", "source": ""}\n{"mode": 1}\n', "line 2 of"),
    (b"\xff\xfe\n", "it is not UTF-8 text"),
    (b"[" * 100_000, "line 1 of"),
]
