"""Checks of emitted cores: vectors, simulation, independent libraries, proofs, mutation."""

from .built import confirm_core
from .bulk import Bulk
from .bus_traffic import BusTraffic, bus_traffic
from .ccm_packets import CcmBench
from .checks import prove_core, verify_core
from .confirm import confirm_expansion, confirm_loop, confirm_pipeline, confirm_rewrite, linear_word, samples
from .drive import Bench, Traffic
from .equivalence import Claim, Proof
from .final_adder import prove_final_adder
from .loops import prove_iterative
from .macs import Gaps, MacBench, MacSession
from .oracle import openssl_version, oracle_blocks, oracle_bulk, oracle_name, oracle_of
from .packet_benches import packet_bench
from .packets import Packet, PacketBench
from .pipelines import prove_pipeline
from .random_blocks import random_blocks
from .record import CoreRecord, read_record
from .units import Unit, UnitBench
from .vectors import extra_vectors, own_vectors
from .verdict import CoreFolder, Verdict
from .wide_packets import WideBench, WidePacket

__all__ = [
    "Bench",
    "Bulk",
    "BusTraffic",
    "CcmBench",
    "Claim",
    "CoreFolder",
    "CoreRecord",
    "Gaps",
    "MacBench",
    "MacSession",
    "Packet",
    "PacketBench",
    "Proof",
    "Traffic",
    "Unit",
    "UnitBench",
    "Verdict",
    "WideBench",
    "WidePacket",
    "bus_traffic",
    "confirm_core",
    "confirm_expansion",
    "confirm_loop",
    "confirm_pipeline",
    "confirm_rewrite",
    "extra_vectors",
    "linear_word",
    "openssl_version",
    "oracle_blocks",
    "oracle_bulk",
    "oracle_name",
    "oracle_of",
    "own_vectors",
    "packet_bench",
    "prove_core",
    "prove_final_adder",
    "prove_iterative",
    "prove_pipeline",
    "random_blocks",
    "read_record",
    "samples",
    "verify_core",
]
