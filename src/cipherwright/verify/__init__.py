"""Checks of emitted cores: vectors, simulation, independent libraries, proofs, mutation."""

from .checks import CoreFolder, Verdict, verify_core
from .drive import Bench, Traffic
from .equivalence import Proof, prove_iterative, prove_pipeline
from .oracle import openssl_version, oracle_blocks, oracle_bulk, oracle_name, oracle_of

__all__ = [
    "Bench", "CoreFolder", "Proof", "Traffic", "Verdict", "openssl_version", "oracle_blocks", "oracle_bulk", "oracle_name", "oracle_of",
    "prove_iterative", "prove_pipeline", "verify_core",
]  # fmt: skip
