#!/usr/bin/env python3
"""Compares the tables of architectures (crates/check) with the names that gguf-py gives to each architecture's tensors.

    python3 tests/oracle/architectures.py

Only names are compared: gguf-py says nothing about shapes, or about what may be absent. A table that claims to be complete
must list every name that gguf-py knows, or sound files would be complained about, except those that llama.cpp's loader does
not ask for, which are named here; a name that a table asks for and gguf-py does not know is a slip of ours. The tables are printed by a test of the crate, so cargo has to be there. Without gguf-py
nothing is compared.
"""

import json
import pathlib
import subprocess
import sys

try:
    from gguf import constants
except ImportError:
    print("gguf-py is not installed: nothing compared")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = (".weight", ".bias", ".scale", ".input_scale")

# Names that loaders take and gguf-py's lists lack, each for a reason.
LOADERS_KNOW = {
    "rope_freqs": "frequencies may be given for any rotary embedding",
    "rope_factors_long": "the same, for long contexts",
    "rope_factors_short": "the same, for short contexts",
    "output": "the embedding serves where it is absent",
    "blk.{bid}.attn_qkv": "queries, keys and values may be one matrix",
    "blk.{bid}.attn_q": "or three",
    "blk.{bid}.attn_k": "or three",
    "blk.{bid}.attn_v": "or three",
    "blk.{bid}.ffn_gate_up_exps": "gate and input of experts may be one matrix",
    "dense_2": "layers behind the pooling of an embedding model",
    "dense_3": "the same",
    "blk.{bid}.ffn_gate_inp": "one loader for granite with and without experts",
    "blk.{bid}.ffn_gate_exps": "the same",
    "blk.{bid}.ffn_up_exps": "the same",
    "blk.{bid}.ffn_down_exps": "the same",
    "blk.{bid}.ffn_gate": "the same",
    "blk.{bid}.ffn_up": "the same",
    "blk.{bid}.ffn_down": "the same",
    "blk.{bid}.ffn_gate_shexp": "llama's loader takes an expert for all tokens where its width is stated",
    "blk.{bid}.ffn_up_shexp": "the same",
    "blk.{bid}.ffn_down_shexp": "the same",
    "cls": "heads of models that classify",
    "cls.output": "heads of models that classify",
}

# Names that gguf-py lists and llama.cpp's loader does not ask for: it refuses a file that has them.
NOT_ASKED_FOR = {
    "rope_freqs": "only where the architecture's loader reads frequencies",
    "blk.{bid}.attn_rot_embd": "no loader reads them",
    "output_norm": "encoders in the manner of BERT have no last norm",
    "position_embd": "nomic-bert turns its positions",
    "blk.{bid}.ffn_norm": "phi2 has one norm for both halves of a layer",
}


def tables():
    """The tables as the crate prints them."""
    command = ["cargo", "run", "-q", "-p", "ggufkit-check", "--example", "print_tables"]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def base(name):
    """A tensor's name without the kind of its numbers."""
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def main():
    ids = {name: arch for arch, name in constants.MODEL_ARCH_NAMES.items()}
    slips, compared, unknown = [], 0, []
    for table in tables():
        name = table["name"]
        if name not in ids:
            unknown.append(name)
            continue
        compared += 1
        theirs = {constants.TENSOR_NAMES[tensor] for tensor in constants.MODEL_TENSORS[ids[name]]}
        ours = {base(tensor) for tensor in table["tensors"]}
        required = {base(tensor) for tensor in table["required"]}
        if table["complete"]:
            slips += [f"{name}: the complete table lacks {tensor}" for tensor in sorted(theirs - ours - set(NOT_ASKED_FOR))]
        slips += [f"{name}: {tensor} is asked for, and gguf-py does not know it" for tensor in sorted(required - theirs)]
        odd = {t for t in ours - theirs - required - set(LOADERS_KNOW) if ".nextn." not in t}
        slips += [f"{name}: {tensor} is listed, and gguf-py does not know it" for tensor in sorted(odd)]
    print(f"{compared} tables compared, {len(slips)} slips")
    if unknown:
        print("gguf-py does not know:", ", ".join(unknown))
    for slip in slips:
        print(slip)
    return 1 if slips else 0


if __name__ == "__main__":
    sys.exit(main())
