#!/usr/bin/env python3
"""Quantizes models with llama.cpp and with ours, and compares the files byte for byte.

    python quantize.py GGUF_BINARY WORKDIR --keep TOOLS [--build] [--tables DIR] [--all] [--like WORD]

Models are small and have the true names, shapes of several kinds and enough layers for every rule to count: dense and with
experts, with tied output, with merged matrices, with rows that fit no block. Of each there are the usual mixtures and some of the
others (--all: every one), without and with importance (which we read from a GGUF imatrix and from a .dat). Types of all tensors have to be equal, and, written in its order, the
whole file. Where the file cannot be equal (IQ1_M, of which newer ggml adds up sums otherwise), all other tensors are.

llama.cpp is that of loaders.py, in the folder that it keeps; with --build it is built where it is not there, which takes some minutes.
--like takes only models and mixtures with this in their names. --tables writes what the reference chose, for the tests of the crate.

Prints a line per model and `N passed, N failed`; the exit code is 1 if anything failed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import GGUFReader, GGUFWriter

import loaders

MIXTURES = {
    "F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9, "Q2_K": 10, "Q3_K_S": 11, "Q3_K_M": 12,
    "Q3_K_L": 13, "Q4_K_S": 14, "Q4_K_M": 15, "Q5_K_S": 16, "Q5_K_M": 17, "Q6_K": 18, "IQ2_XXS": 19, "IQ2_XS": 20, "Q2_K_S": 21,
    "IQ3_XS": 22, "IQ3_XXS": 23, "IQ1_S": 24, "IQ4_NL": 25, "IQ3_S": 26, "IQ3_M": 27, "IQ2_S": 28, "IQ2_M": 29, "IQ4_XS": 30,
    "IQ1_M": 31, "BF16": 32, "TQ1_0": 36, "TQ2_0": 37, "MXFP4_MOE": 38, "Q1_0": 40, "Q2_0": 41,
}
# Those of the committed tables.
TABLES = ["Q4_0", "Q2_K", "Q3_K_M", "Q4_K_M", "Q5_K_M", "IQ2_XS", "IQ3_XXS", "IQ4_XS", "Q8_0"]
# Whose bytes are another matter.
ODD = {"IQ1_M"}


class Model:
    """A model: what its head says, and its tensors by name, rows last."""

    def __init__(self, name: str, architecture: str, layers: int, heads: int, kv: int, experts: int = 0, **keys: Any) -> None:
        self.name, self.architecture, self.layers, self.experts = name, architecture, layers, experts
        self.heads, self.kv = heads, kv
        self.keys = keys
        self.tensors: list[tuple[str, tuple[int, ...], T]] = []

    def add(self, name: str, *shape: int, kind: T = T.F16) -> "Model":
        self.tensors.append((name, shape, kind if len(shape) > 1 else T.F32))
        return self

    def each(self, *tensors: tuple) -> "Model":
        for layer in range(self.layers):
            for name, *shape in tensors:
                self.add(f"blk.{layer}.{name}", *shape)
        return self

    def data(self, number: int) -> np.ndarray:
        name, shape, kind = self.tensors[number]
        random = np.random.default_rng([number, sum(self.name.encode())])
        values = random.standard_normal(shape, dtype=np.float32) * 0.05
        if kind == T.F16:
            return values.astype(np.float16)
        if kind == T.BF16:
            return (values.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
        return values

    def write(self, path: Path) -> None:
        writer = GGUFWriter(path, self.architecture)
        prefix = self.architecture
        numbers = {"context_length": 128, "embedding_length": 256, "block_count": self.layers, "feed_forward_length": 512}
        numbers |= {"attention.head_count": self.heads, "attention.head_count_kv": self.kv}
        if self.experts:
            numbers |= {"expert_count": self.experts, "expert_used_count": 2}
        for key, value in numbers.items():
            writer.add_uint32(f"{prefix}.{key}", value)
        writer.add_file_type(1)
        for key in ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"):
            writer.add_float32(f"{prefix}.{key}", 1e-5)
        for key, value in self.keys.items():
            key = f"{prefix}.{key.replace('__', '.')}"
            {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, list: writer.add_array}[type(value)](key, value)
        for number, (name, _, kind) in enumerate(self.tensors):
            writer.add_tensor(name, self.data(number), raw_dtype=kind if kind == T.BF16 else None)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


NORMS = (("attn_norm.weight", 256), ("ffn_norm.weight", 256))
ATTENTION = (("attn_q.weight", 8, 256), ("attn_k.weight", 4, 256), ("attn_v.weight", 4, 256), ("attn_output.weight", 6, 256))
DENSE = (("ffn_down.weight", 6, 512), ("ffn_gate.weight", 8, 256), ("ffn_up.weight", 8, 256))


def experts(n: int) -> tuple:
    return (("ffn_gate_inp.weight", n, 256), ("ffn_down_exps.weight", n, 2, 512), ("ffn_gate_exps.weight", n, 2, 256),
            ("ffn_up_exps.weight", n, 2, 256))


def models() -> list[Model]:
    # Tensors in no order, so that the order of the rules is not that of the file.
    llama = Model("llama", "llama", 17, 8, 2).each(*NORMS, *ATTENTION, *DENSE)
    llama.add("output.weight", 12, 256, kind=T.BF16).add("token_embd.weight", 12, 256).add("output_norm.weight", 256)
    few = Model("llama-mha", "llama", 9, 4, 4).each(*NORMS, *ATTENTION[:3], ("attn_output.weight", 4, 288), *DENSE[:1], ("ffn_gate.weight", 4, 100),
                                                   ("ffn_up.weight", 4, 256))
    few.add("token_embd.weight", 12, 256, kind=T.F32).add("output.weight", 12, 256)
    mixtral = Model("mixtral", "llama", 9, 8, 2, 8).add("token_embd.weight", 12, 256).each(*NORMS, *ATTENTION, *experts(8))
    mixtral.add("output.weight", 12, 256)
    apart = Model("mixtral-apart", "llama", 8, 8, 2, 8).add("token_embd.weight", 12, 256).each(
        *ATTENTION, *[(f"ffn_{part}.{n}.weight", 2, 512 if part == "down" else 256) for n in (7, 0, 3) for part in ("down", "up", "gate")])
    apart.add("output.weight", 12, 256)
    qwen = Model("qwen3moe", "qwen3moe", 10, 8, 1, 16, expert_feed_forward_length=512).add("token_embd.weight", 12, 256)
    qwen.each(*NORMS, *ATTENTION, ("attn_q_norm.weight", 32), *experts(16)).add("output.weight", 12, 256)
    gemma = Model("gemma", "gemma", 18, 8, 1).each(*NORMS, *ATTENTION, *DENSE).add("token_embd.weight", 12, 256)
    falcon = Model("falcon", "falcon", 33, 8, 1).add("token_embd.weight", 12, 256).each(
        ("attn_norm.weight", 256), ("attn_qkv.weight", 12, 256), ("attn_output.weight", 4, 256), ("ffn_up.weight", 4, 256),
        ("ffn_down.weight", 2, 512)).add("output.weight", 12, 256)
    phi = Model("phi3", "phi3", 8, 8, 8, rope__dimension_count=32).add("token_embd.weight", 12, 256).each(
        *NORMS, ("attn_qkv.weight", 12, 256), ATTENTION[3], ("ffn_up.weight", 8, 256), DENSE[0]).add("output.weight", 12, 256)
    deepseek = Model(
        "deepseek2", "deepseek2", 7, 8, 8, 12, leading_dense_block_count=1, attention__kv_lora_rank=256, expert_feed_forward_length=512,
        attention__q_lora_rank=256, expert_shared_count=1, expert_weights_scale=1.0, rope__scaling__yarn_log_multiplier=0.1)
    deepseek.add("token_embd.weight", 12, 256).each(
        *NORMS, ("attn_q_a.weight", 4, 256), ("attn_q_b.weight", 4, 256), ("attn_kv_a_mqa.weight", 4, 256), ("attn_kv_b.weight", 4, 256),
        ATTENTION[3], *experts(12), ("ffn_down_shexp.weight", 2, 512), ("ffn_up_shexp.weight", 2, 256)).add("output.weight", 12, 256)
    large = Model("qwen2-80", "qwen2", 80, 8, 1).add("token_embd.weight", 2, 256).each(
        ("attn_q.weight", 2, 256), ("attn_v.weight", 2, 256), ("ffn_down.weight", 2, 256), ("attn_q.bias", 8)).add("output.weight", 2, 256)
    mamba = Model("mamba", "mamba", 6, 0, 0, ssm__conv_kernel=4, ssm__inner_size=512, ssm__state_size=16, ssm__time_step_rank=16)
    mamba.add("token_embd.weight", 12, 256).each(
        ("ssm_in.weight", 4, 256), ("ssm_conv1d.weight", 8, 4), ("ssm_x.weight", 4, 512), ("ssm_dt.weight", 4, 16),
        ("ssm_a", 4, 16), ("ssm_out.weight", 4, 512), ("attn_norm.weight", 256))
    return [llama, few, mixtral, apart, qwen, gemma, falcon, phi, deepseek, large, mamba]


def build(keep: Path, whole: bool) -> Path:
    """The program that quantizes with llama.cpp."""
    program = keep / "llama-quantize"
    code = loaders.HERE / "quantize.cpp"
    if not whole and not program.exists() and not (keep / "llama-build" / "src" / "libllama.a").exists():
        raise loaders.Missing("is not built; --build (in .ci/run: LOADERS=--load) builds it, LOADER_TOOLS keeps it")
    if not program.exists() or program.stat().st_mtime < code.stat().st_mtime:
        loaders.llama_load(keep)
        source, build = loaders.llama_source(keep), keep / "llama-build"
        libraries = [build / "src" / "libllama.a", *[build / "ggml" / "src" / f"lib{name}.a" for name in ("ggml", "ggml-cpu", "ggml-base")]]
        include = [f"-I{source / 'include'}", f"-I{source / 'ggml' / 'include'}"]
        loaders.run(["c++", "-std=c++17", "-O1", *include, code, *libraries, "-o", program, "-lpthread", "-ldl", "-lm"])
    return program


class Importance:
    """An importance matrix in the forms that are needed: for llama.cpp as it has it once it is read, and two files for us."""

    def __init__(self, model: Model, folder: Path) -> None:
        self.plain, self.gguf, self.dat = (folder / f"{model.name}.imatrix.{end}" for end in ("plain", "gguf", "dat"))
        writer = GGUFWriter(self.gguf, "")
        writer.add_type("imatrix")
        writer.add_array("imatrix.datasets", ["calibration.txt"])
        writer.add_uint32("imatrix.chunk_count", 5)
        writer.add_uint32("imatrix.chunk_size", 512)
        legacy, self.entries = b"", 0
        with self.plain.open("wb") as plain:
            for number, (name, shape, _) in enumerate(model.tensors):
                if len(shape) < 2 or name.startswith("token_embd"):
                    continue
                random = np.random.default_rng([7, number])
                matrices = shape[0] if len(shape) == 3 else 1
                sums = (random.random((matrices, shape[-1]), dtype=np.float32) ** 4 * 900).astype(np.float32)
                counts = random.integers(0 if matrices > 1 else 1, 40, (matrices, 1)).astype(np.float32)
                writer.add_tensor(f"{name}.in_sum2", sums)
                writer.add_tensor(f"{name}.counts", counts)
                with np.errstate(divide="ignore", invalid="ignore"):
                    means = np.where(counts > 0, sums / counts, np.float32(1)).astype(np.float32)
                plain.write(f"{name}\t{means.size}\n".encode() + means.tobytes())
                self.entries += 1
                word = name.encode()
                # What was called once is what it is.
                legacy += np.int32(len(word)).tobytes() + word + np.int32(1).tobytes() + np.int32(means.size).tobytes() + means.tobytes()
        self.dat.write_bytes(np.int32(self.entries).tobytes() + legacy + np.int32(5).tobytes() + np.int32(15).tobytes() + b"calibration.txt")
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()

    def options(self, file: Path) -> list[str]:
        return [f"imatrix={self.plain}", f"text=quantize.imatrix.file={file}", "text=quantize.imatrix.dataset=calibration.txt",
                f"number=quantize.imatrix.entries_count={self.entries}", "number=quantize.imatrix.chunks_count=5"]


def types(path: Path) -> dict[str, str]:
    return {tensor.name: tensor.tensor_type.name for tensor in GGUFReader(path).tensors}


def others(one: Path, two: Path) -> Iterator[str]:
    """What differs, tensor by tensor."""
    try:
        a, b = GGUFReader(one).tensors, GGUFReader(two).tensors
    except ValueError as error:
        yield f"the files differ, and gguf-py cannot tell where: {error}"
        return
    if [tensor.name for tensor in a] != [tensor.name for tensor in b]:
        yield "other tensors, or in another order"
        return
    for mine, its in zip(a, b):
        if mine.tensor_type != its.tensor_type:
            yield f"{mine.name}: {mine.tensor_type.name}, and llama.cpp has {its.tensor_type.name}"
        elif mine.tensor_type.name not in ODD and mine.data.tobytes() != its.data.tobytes():
            yield f"{mine.name}: other bytes of {mine.tensor_type.name}"


class Oracle:
    def __init__(self, program: Path, binary: str, work: Path) -> None:
        self.program, self.binary, self.work = program, binary, work

    def theirs(self, job: list[str]) -> tuple[bool, str]:
        done = subprocess.run([self.program], input="\t".join(job) + "\n", capture_output=True, text=True, errors="replace", timeout=300)
        verdict, _, why = done.stdout.strip().partition("\t")
        return verdict == "ok", why or f"ends with {done.returncode}"

    def ours(self, *words: Any) -> tuple[bool, str]:
        done = subprocess.run([self.binary, "quantize", *map(str, words)], capture_output=True, text=True, errors="replace", timeout=300)
        return done.returncode == 0, done.stderr.strip()

    def compare(self, source: Path, number: int, name: str, own: list[Any], its: list[str], tag: str) -> tuple[list[str], dict[str, str]]:
        """Both make a file; what differs, and what types the reference chose."""
        one, two = self.work / f"{source.stem}.{name}.{tag}.ours", self.work / f"{source.stem}.{name}.{tag}.theirs"
        for path in (one, two):
            path.unlink(missing_ok=True)
        done, said = self.ours(source, name, "-o", one, "--order", "llama", "--no-verify", "--threads", "1", *own)
        good, why = self.theirs([str(source), str(two), str(number), *its])
        found, chosen = [], {}
        if done != good:
            found = [f"ours: {said[:200] or 'done'}; llama.cpp: {why[:200] if not good else 'done'}"]
        elif done:
            # gguf-py does not know the newest types, and is not asked where nothing differs.
            if name in TABLES:
                chosen = types(two)
            if one.read_bytes() != two.read_bytes():
                found = list(others(one, two))
                if not found and not ODD & set(types(two).values()):
                    found = ["the tensors are the same, and the rest of the file is not"]
        for path in (one, two):
            path.unlink(missing_ok=True)
        return found, chosen


def tables(folder: Path, model: Model, chosen: dict[tuple[str, str], dict[str, str]]) -> None:
    """What the reference chose, as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    ratio = model.heads // model.kv if model.kv else 0
    large = (model.architecture, model.layers) == ("qwen2", 80)
    lines = [f"# What llama.cpp (llama-cpp-python {loaders.LLAMA}) chose; written by tests/oracle/quantize.py --tables.",
             f"model {model.architecture} layers={model.layers} experts={model.experts} heads_per_kv={ratio} is_70b={str(large).lower()}"]
    lines += [f"tensor {name} {kind.name} {'x'.join(map(str, reversed(shape)))}" for name, shape, kind in model.tensors]
    for (mixture, tag), found in chosen.items():
        if not found or mixture not in TABLES:
            continue
        runs: list[list[Any]] = []
        for name, _, _ in model.tensors:
            if runs and runs[-1][1] == found[name]:
                runs[-1][0] += 1
            else:
                runs.append([1, found[name]])
        lines.append(f"types {mixture} {tag} " + " ".join(f"{count}*{kind}" if count > 1 else kind for count, kind in runs))
    (folder / f"{model.name}.txt").write_text("\n".join(lines) + "\n")


# Options: the model, the mixture, ours, llama.cpp's.
OPTIONS: list[tuple[str, str, list[str], list[str]]] = [
    ("llama", "Q4_K_M", ["--pure"], ["pure=1"]),
    ("llama-mha", "Q4_K_M", ["--pure"], ["pure=1"]),
    ("llama", "Q4_K_M", ["--leave-output-tensor"], ["leave=1"]),
    ("llama", "Q4_K_M", ["--output-tensor-type", "Q8_0", "--token-embedding-type", "F32"], ["output=8", "embedding=0"]),
    ("gemma", "Q3_K_M", ["--output-tensor-type", "Q5_K"], ["output=13"]),
    ("gemma", "Q3_K_M", ["--token-embedding-type", "Q4_0"], ["embedding=2"]),
    ("llama", "Q4_K_M", ["--tensor-type", "ffn_down=Q8_0", "--tensor-type", r"blk\.1\d\.attn=Q5_0"], ["type=ffn_down=8", r"type=blk\.1\d\.attn=6"]),
    ("llama", "Q5_K_M", ["--tensor-type", "attn_v=Q5_K", "--tensor-type", r"^blk\.[3-5]\.=F16"], ["type=attn_v=13", r"type=^blk\.[3-5]\.=1"]),
    ("llama", "COPY", [], ["copy=1"]),
    ("mixtral", "Q4_K_M", ["--tensor-type", "exps=IQ4_NL"], ["type=exps=20"]),
]


def main() -> int:
    options = argparse.ArgumentParser(description="compares what gguf quantize makes with what llama.cpp makes")
    options.add_argument("binary")
    options.add_argument("work", type=Path)
    options.add_argument("--keep", type=Path, required=True, help="where tools are kept")
    options.add_argument("--tables", type=Path, help="where what the reference chose is written")
    options.add_argument("--build", action="store_true", help="build llama.cpp where it is not there")
    options.add_argument("--all", action="store_true", help="every mixture with every model")
    options.add_argument("--like", default="", help="models and mixtures with this in their names")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    given.keep.mkdir(parents=True, exist_ok=True)
    try:
        program = build(given.keep.resolve(), given.build)
    except loaders.Missing as reason:
        print(f"skipped: llama.cpp: {reason}")
        return 0
    oracle = Oracle(program, given.binary, given.work)
    passed = failed = 0
    for place, model in enumerate(models()):
        source = given.work / f"{model.name}.gguf"
        model.write(source)
        importance = Importance(model, given.work)
        jobs = []
        for name, number in MIXTURES.items():
            # Each mixture is tried with some models, those of the tables with every one.
            if name not in TABLES and not given.all and (number + place) % 5:
                continue
            if given.tables and name not in TABLES:
                continue
            if given.like and given.like not in f"{model.name} {name}":
                continue
            jobs.append((name, number, [], [], "plain"))
            # The two forms of importance take turns.
            file = importance.gguf if number % 2 else importance.dat
            jobs.append((name, number, ["--imatrix", file], importance.options(file), "importance"))
        for of, name, own, its in OPTIONS:
            if of == model.name and (not given.like or given.like in f"{of} {name}"):
                jobs.append((name, MIXTURES.get(name, 0), own, its, "options"))
        with ThreadPoolExecutor(loaders.WORKERS) as pool:
            results = list(pool.map(lambda job: oracle.compare(source, job[1], job[0], job[2], job[3], f"{job[4]}-{abs(hash(str(job)))}"), jobs))
        wrong = [(job, line) for job, (found, _) in zip(jobs, results) for line in found[:3]]
        bad = sum(bool(found) for found, _ in results)
        failed += bad
        passed += len(jobs) - bad
        if jobs:
            print(f"{'FAIL' if bad else 'ok  '} {model.name}: {len(jobs)} files, {bad} differ", flush=True)
        for job, line in wrong[:12]:
            print(f"       {job[0]} {job[4]} {' '.join(map(str, job[2]))}: {line}")
        if given.tables:
            tables(given.tables, model, {(job[0], job[4]): chosen for job, (_, chosen) in zip(jobs, results) if job[4] != "options"})
        source.unlink()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
