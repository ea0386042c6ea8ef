#!/usr/bin/env python3
"""What `gguf stats` and `gguf compare` measure, against numpy in double precision over gguf-py's values.

    python weights.py GGUF_BINARY FILE...

Of every FILE that gguf-py reads each tensor's numbers are held against those of the definitions, and a copy of it in Q8_0 (made
by gguf-py) is compared with it.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy as np
from gguf.quants import QuantError, dequantize, quantize

SAMPLED = (0.01, 0.25, 0.5, 0.75, 0.99)


def run(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    # Tensors whose types are not decoded make the status 2.
    if done.returncode not in (0, 1) and '"tensors"' not in done.stdout:
        raise SystemExit(f"{arguments}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def near(found, wanted, tolerance, what):
    if found is None or isinstance(found, str) or not math.isclose(found, wanted, rel_tol=tolerance, abs_tol=1e-12):
        raise SystemExit(f"{what}: {found} is not {wanted}")


def check_stats(found, values, what):
    finite = values[np.isfinite(values)].astype(np.float64)
    counts = (("elements", values.size), ("zeros", int((values == 0).sum())), ("nan", int(np.isnan(values).sum())),
              ("infinite", int(np.isinf(values).sum())))
    for name, wanted in counts:
        if found[name] != wanted:
            raise SystemExit(f"{what}: {name} {found[name]} is not {wanted}")
    if finite.size == 0:
        return
    mean, std = finite.mean(), finite.std()
    if np.float32(found["min"]) != np.float32(finite.min()) or np.float32(found["max"]) != np.float32(finite.max()):
        raise SystemExit(f"{what}: range {found['min']} {found['max']}")
    # Double precision here, too; what cancels against the mean is lost on both sides.
    scale = max(abs(mean), std)
    near(found["mean"] + scale, mean + scale, 1e-9, f"{what}: mean")
    near(found["rms"], math.sqrt((finite**2).mean()), 1e-9, f"{what}: rms")
    near(found["std"] + scale, std + scale, 1e-9, f"{what}: std")
    if std > 1e-6 * abs(mean):
        near(found["kurtosis"], ((finite - mean) ** 4).mean() / std**4, 1e-6, f"{what}: kurtosis")
    ordered = np.sort(finite)
    for part, quantile in zip(SAMPLED, found["quantiles"]):
        # Between the neighbours of the place, give or take a bin.
        low = ordered[max(math.floor(part * finite.size) - 1, 0)]
        high = ordered[min(math.ceil(part * finite.size), finite.size - 1)]
        slack = max(abs(low), abs(high)) / 31 + 1e-45
        if not low - slack <= quantile <= high + slack:
            raise SystemExit(f"{what}: {part} of the values lie below {low} .. {high}, not {quantile}")
    from_here = found["outliers_from"]
    if from_here and found["outliers"] != int((np.abs(finite) >= np.float32(from_here)).sum()):
        raise SystemExit(f"{what}: outliers {found['outliers']} beyond {from_here}")


def check_compare(found, a, b, what):
    a, b = a.astype(np.float64), b.astype(np.float64)
    distance = a - b
    near(found["rmse"], math.sqrt((distance**2).mean()), 1e-9, f"{what}: rmse")
    near(found["max"], np.abs(distance).max(), 1e-12, f"{what}: max")
    if abs(distance[found["max_at"]]) != np.abs(distance).max():
        raise SystemExit(f"{what}: the largest distance is not at {found['max_at']}")
    if (a**2).sum() > 0 and (b**2).sum() > 0:
        near(found["relative"], math.sqrt((distance**2).sum() / (a**2).sum()), 1e-9, f"{what}: relative")
        near(found["cosine"], (a * b).sum() / math.sqrt((a**2).sum() * (b**2).sum()), 1e-9, f"{what}: cosine")
    if found["worst"]:
        blocks = [math.sqrt((distance[at : at + 256] ** 2).mean()) for at in range(0, distance.size, 256)]
        near(found["worst"][0]["rmse"], max(blocks), 1e-9, f"{what}: worst block")


def values_of(reader, tensor):
    """The values as floats; None where gguf-py has no rule for the type, or does not turn its blocks."""
    if tensor.data.dtype.kind in "if" and tensor.tensor_type.name != "BF16":
        # Those that floats of 32 bits do not hold are measured as doubles.
        wide = tensor.data.dtype.itemsize * 8 > 32 or tensor.tensor_type.name == "I32"
        return tensor.data.astype(np.float64 if wide else np.float32).ravel()
    if reader.endianess == gguf.GGUFEndian.BIG:
        return None
    try:
        return dequantize(tensor.data, tensor.tensor_type).astype(np.float32).ravel()
    except (NotImplementedError, QuantError):
        return None


def main():
    binary, files = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    measured = compared = 0
    for file in files:
        try:
            reader = gguf.GGUFReader(file)
        except (ValueError, KeyError, IndexError, UnicodeDecodeError):
            print(f"{file.name}: gguf-py does not read it, left out")
            continue
        tensors = [(tensor, values_of(reader, tensor)) for tensor in reader.tensors if tensor.n_elements > 0]
        tensors = [(tensor, values) for tensor, values in tensors if values is not None]
        if not tensors:
            print(f"{file.name}: gguf-py decodes none of its tensors, left out")
            continue
        found = {tensor["name"]: tensor for tensor in run(binary, "stats", file, "--json")["files"][0]["tensors"]}
        for tensor, values in tensors:
            check_stats(found[tensor.name], values, f"{file.name}: {tensor.name}")
            measured += 1
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy.gguf"
            writer, kept = gguf.GGUFWriter(copy, "llama"), []
            for tensor, values in tensors:
                shape = [int(n) for n in reversed(tensor.shape)]
                if shape and shape[-1] % 32 == 0 and np.isfinite(values).all():
                    data = quantize(values.reshape(shape).astype(np.float32), gguf.GGMLQuantizationType.Q8_0)
                    writer.add_tensor(tensor.name, data, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
                    other = dequantize(data, gguf.GGMLQuantizationType.Q8_0).astype(np.float32).ravel()
                    kept.append((tensor.name, values, other))
            if not kept:
                continue
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
            writer.write_tensors_to_file()
            writer.close()
            found = {tensor["name"]: tensor for tensor in run(binary, "compare", file, copy, "--json")["tensors"]}
            for name, values, other in kept:
                check_compare(found[name], values, other, f"{file.name}: {name}")
                compared += 1
    print(f"weights: {measured} tensors measured, {compared} compared, as numpy has them")
    return 0 if measured and compared else 1


if __name__ == "__main__":
    sys.exit(main())
