#!/usr/bin/env python3
"""What `gguf compare FILE --source FOLDER` measures, on models that are made here and converted with NumPy.

    python origins.py GGUF_BINARY FOLDER

Models of several architectures are written by the safetensors package under the names of Hugging Face, in one file or in
several with an index, and as GGUF by gguf-py, with what conversion does to them: rows by heads, experts in one tensor, matrices
turned over, 1 added to norms. All tensors of these have their partner, and its distance is that of NumPy.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys

import gguf
import numpy as np
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

Q8_0 = gguf.GGMLQuantizationType.Q8_0
N, HEADS, KV, FF, VOCAB = 128, 4, 2, 192, 320


def pairs(values, heads):
    """Halves of heads in turn, as llama.cpp has queries and keys."""
    return values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def interleaved(values):
    """Queries, keys, values out of heads that have their three together."""
    split = values.reshape(HEADS, 3, -1, *values.shape[1:])
    return np.concatenate([split[:, at].reshape(-1, *values.shape[1:]) for at in range(3)])


def groups(values):
    """The same out of groups with one key and one value each."""
    split = values.reshape(KV, HEADS // KV + 2, -1, *values.shape[1:])
    parts = (split[:, :-2], split[:, [-2]], split[:, [-1]])
    return np.concatenate([part.reshape(-1, *values.shape[1:]) for part in parts])


class Maker:
    """Tensors of a source, and what becomes of them."""

    def __init__(self, seed):
        self.random, self.source, self.file, self.changes = np.random.default_rng(seed), {}, {}, {}

    def add(self, source, name, shape, change=None, how=None, dtype=np.float32):
        values = (self.random.standard_normal(shape) * 0.02).astype(dtype)
        self.source[source] = values
        self.file[name] = how(values) if how else values
        if change:
            self.changes[name] = [change]

    def experts(self, source, name, shape, count):
        parts = []
        for number in range(count):
            self.source[source.format(number)] = (self.random.standard_normal(shape) * 0.02).astype(np.float16)
            parts.append(self.source[source.format(number)])
        self.file[name] = np.stack(parts)
        self.changes[name] = ["stacked"]


def llama(make, kind):
    head = N // HEADS
    make.add("model.embed_tokens.weight", "token_embd.weight", (VOCAB, N), dtype=np.float16)
    make.add("model.norm.weight", "output_norm.weight", (N,), *plus(kind))
    make.add("lm_head.weight", "output.weight", (VOCAB, N))
    paired = ("rows-by-heads",) if kind in ("llama", "mixtral") else (None,)
    for layer in range(2):
        of, to = f"model.layers.{layer}.", f"blk.{layer}."
        turn = lambda heads: (lambda values: pairs(values, heads)) if paired[0] else None
        make.add(of + "self_attn.q_proj.weight", to + "attn_q.weight", (HEADS * head, N), paired[0], turn(HEADS))
        make.add(of + "self_attn.k_proj.weight", to + "attn_k.weight", (KV * head, N), paired[0], turn(KV), np.float16)
        make.add(of + "self_attn.v_proj.weight", to + "attn_v.weight", (KV * head, N))
        if kind == "llama":
            make.add(of + "self_attn.q_proj.bias", to + "attn_q.bias", (HEADS * head,), paired[0], turn(HEADS))
        if kind == "qwen2":
            make.add(of + "self_attn.q_proj.bias", to + "attn_q.bias", (HEADS * head,))
        make.add(of + "self_attn.o_proj.weight", to + "attn_output.weight", (N, HEADS * head))
        make.add(of + "input_layernorm.weight", to + "attn_norm.weight", (N,), *plus(kind))
        if kind == "gemma2":
            make.add(of + "post_attention_layernorm.weight", to + "post_attention_norm.weight", (N,), *plus(kind))
            make.add(of + "pre_feedforward_layernorm.weight", to + "ffn_norm.weight", (N,), *plus(kind))
            make.add(of + "post_feedforward_layernorm.weight", to + "post_ffw_norm.weight", (N,), *plus(kind))
        else:
            make.add(of + "post_attention_layernorm.weight", to + "ffn_norm.weight", (N,))
        if kind == "mixtral":
            make.add(of + "block_sparse_moe.gate.weight", to + "ffn_gate_inp.weight", (3, N))
            make.experts(of + "block_sparse_moe.experts.{}.w1.weight", to + "ffn_gate_exps.weight", (FF, N), 3)
            make.experts(of + "block_sparse_moe.experts.{}.w2.weight", to + "ffn_down_exps.weight", (N, FF), 3)
            make.experts(of + "block_sparse_moe.experts.{}.w3.weight", to + "ffn_up_exps.weight", (FF, N), 3)
        else:
            make.add(of + "mlp.gate_proj.weight", to + "ffn_gate.weight", (FF, N))
            make.add(of + "mlp.up_proj.weight", to + "ffn_up.weight", (FF, N))
            make.add(of + "mlp.down_proj.weight", to + "ffn_down.weight", (N, FF))
    if kind == "llama":
        make.file["rope_freqs.weight"] = np.ones(N // HEADS // 2, np.float32)


def plus(kind):
    return ("plus-one", lambda values: values + np.float32(1)) if kind == "gemma2" else (None, None)


def gpt2(make, kind):
    turned = ("turned", lambda values: np.ascontiguousarray(values.T))
    make.add("wte.weight", "token_embd.weight", (VOCAB, N))
    make.add("wpe.weight", "position_embd.weight", (64, N))
    make.add("ln_f.weight", "output_norm.weight", (N,))
    for layer in range(2):
        of, to = f"h.{layer}.", f"blk.{layer}."
        make.add(of + "attn.c_attn.weight", to + "attn_qkv.weight", (N, 3 * N), *turned)
        make.add(of + "attn.c_attn.bias", to + "attn_qkv.bias", (3 * N,))
        make.add(of + "attn.c_proj.weight", to + "attn_output.weight", (N, N), *turned)
        # More than one unit of 2^18 values, whose bounds fall within rows.
        make.add(of + "mlp.c_fc.weight", to + "ffn_up.weight", (N, 4128), *turned, dtype=np.float16)
        make.add(of + "mlp.c_proj.weight", to + "ffn_down.weight", (4128, N), *turned)
        make.add(of + "ln_1.weight", to + "attn_norm.weight", (N,))
        make.add(of + "ln_2.weight", to + "ffn_norm.weight", (N,))
        make.source[of + "attn.bias"] = np.ones((1, 1, 64, 64), np.float32)


def fused(make, kind):
    head = N // HEADS
    of_model = {"falcon": "transformer.", "gptneox": "gpt_neox."}[kind]
    layers = {"falcon": "h", "gptneox": "layers"}[kind]
    attention = {"falcon": "self_attention", "gptneox": "attention"}[kind]
    rows = {"falcon": (HEADS + 2 * KV) * head, "gptneox": 3 * N}[kind]
    how = ("rows-by-heads", groups if kind == "falcon" else interleaved)
    make.add(of_model + {"falcon": "word_embeddings", "gptneox": "embed_in"}[kind] + ".weight", "token_embd.weight", (VOCAB, N))
    make.add(of_model + {"falcon": "ln_f", "gptneox": "final_layer_norm"}[kind] + ".weight", "output_norm.weight", (N,))
    for layer in range(2):
        of, to = f"{of_model}{layers}.{layer}.", f"blk.{layer}."
        make.add(f"{of}{attention}.query_key_value.weight", to + "attn_qkv.weight", (rows, N), *how)
        if kind == "gptneox":
            make.add(f"{of}{attention}.query_key_value.bias", to + "attn_qkv.bias", (rows,), *how)
        make.add(f"{of}{attention}.dense.weight", to + "attn_output.weight", (N, N))
        make.add(of + "input_layernorm.weight", to + "attn_norm.weight", (N,))
        make.add(of + "mlp.dense_h_to_4h.weight", to + "ffn_up.weight", (4 * N, N))
        make.add(of + "mlp.dense_4h_to_h.weight", to + "ffn_down.weight", (N, 4 * N))


MODELS = {
    "llama": ("llama", llama), "mixtral": ("llama", llama), "qwen2": ("qwen2", llama), "gemma2": ("gemma2", llama),
    "gpt2": ("gpt2", gpt2), "falcon": ("falcon", fused), "gptneox": ("gptneox", fused),
}


def write(make, arch, path):
    """The file; what its values are, as floats."""
    writer, values = gguf.GGUFWriter(path, arch), {}
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV)
    for name, value in make.file.items():
        if value.ndim > 1:
            data = quantize(value.astype(np.float32), Q8_0)
            writer.add_tensor(name, data, raw_dtype=Q8_0)
            values[name] = dequantize(data, Q8_0).astype(np.float32)
        else:
            values[name] = value.astype(np.float32)
            writer.add_tensor(name, values[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return values


def save(tensors, folder, shards):
    folder.mkdir()
    if shards == 1:
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        return
    names, places = sorted(tensors), {}
    for number in range(shards):
        file = f"model-{number + 1:05}-of-{shards:05}.safetensors"
        part = {name: tensors[name] for name in names[number::shards]}
        save_file(part, folder / file)
        places |= dict.fromkeys(part, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    # A file that the index does not name is none of the model's.
    save_file({"model.embed_tokens.weight": np.zeros((VOCAB, N), np.float32)}, folder / "a.safetensors")


def compare(binary, file, folder, status):
    done = subprocess.run([binary, "compare", file, "--source", folder, "--json"], capture_output=True, text=True)
    if done.returncode != status:
        raise SystemExit(f"{file}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for seed, (kind, (arch, build)) in enumerate(MODELS.items()):
        make = Maker(seed)
        build(make, kind)
        values = write(make, arch, folder / f"{kind}.gguf")
        save(make.source, folder / kind, 1 + seed % 3)
        found = compare(binary, folder / f"{kind}.gguf", folder / kind, 0)
        assert found["source"]["verdict"] == "same", found["source"]
        assert found["source"]["made"] == [name for name in make.file if name == "rope_freqs.weight"]
        tensors = {tensor["name"]: tensor for tensor in found["tensors"]}
        assert set(tensors) == set(make.file) - {"rope_freqs.weight"}, set(make.file) ^ set(tensors)
        for name, tensor in tensors.items():
            assert tensor.get("changes", []) == make.changes.get(name, []), (kind, name, tensor.get("changes"))
            one, other = make.file[name].astype(np.float64).ravel(), values[name].astype(np.float64).ravel()
            distance = one - other
            for measure, wanted in (("rmse", math.sqrt((distance**2).mean())), ("max", np.abs(distance).max()),
                                    ("relative", math.sqrt((distance**2).sum() / (one**2).sum()))):
                if not math.isclose(tensor[measure], wanted, rel_tol=1e-9, abs_tol=1e-12):
                    raise SystemExit(f"{kind}: {name}: {measure} {tensor[measure]} is not {wanted}")
            count += 1
        # Other weights under the same names, and weights that were trained further.
        other = Maker(100 + seed)
        build(other, kind)
        save(other.source, folder / f"{kind}-other", 1)
        assert compare(binary, folder / f"{kind}.gguf", folder / f"{kind}-other", 0)["source"]["verdict"] == "unrelated"
        near = {name: (value + other.source[name] / 10).astype(value.dtype) for name, value in make.source.items()}
        save(near, folder / f"{kind}-near", 1)
        assert compare(binary, folder / f"{kind}.gguf", folder / f"{kind}-near", 0)["source"]["verdict"] == "related"
        shutil.rmtree(folder / f"{kind}-other")
        # What has no partner is named.
        del near[next(name for name in near if "wte" in name or "embed" in name)]
        near["extra.weight"] = np.ones((2, 2), np.float32)
        save(near, folder / f"{kind}-less", 1)
        found = compare(binary, folder / f"{kind}.gguf", folder / f"{kind}-less", 1)
        assert (found["only_a"], found["only_b"]) == (["extra.weight"], ["token_embd.weight"]), found["only_a"]
    shutil.rmtree(folder)
    print(f"origins: {count} tensors of {len(MODELS)} models are as far from their sources as numpy has them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
