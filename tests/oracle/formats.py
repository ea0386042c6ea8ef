#!/usr/bin/env python3
"""Hold the other forms of `gguf dump` against its JSON, with readers that are not ours.

    python formats.py GGUF_BINARY FILE...

YAML, read by PyYAML, must give what JSON gives, down to the type of each number; NDJSON and CSV must have a record for
each key-value and tensor, every CSV record the same number of cells and none that a spreadsheet runs; every Markdown
table must keep its number of columns. Files may be broken: then all forms must break off at the same place.

Prints a line per file and `N passed, N failed`; the exit code is 1 if anything failed.
"""
import csv
import io
import json
import re
import subprocess
import sys
from typing import Any, Iterator

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TOO_LONG = 4_000_000  # characters; what is longer takes PyYAML minutes
FORMULA = re.compile(r"\s*[=+\-@]")
NUMBER = re.compile(r"-(\d.*|Infinity)")


def dump(binary: str, path: str, form: str, *options: str) -> tuple[str, int]:
    run = subprocess.run([binary, "dump", "--format", form, *options, path], capture_output=True, timeout=120)
    return run.stdout.decode("utf-8"), run.returncode


def differences(binary: str, path: str, arrays: str) -> Iterator[str]:
    options = ("--arrays", arrays)
    text, status = dump(binary, path, "json", *options)
    document = json.loads(text)
    file = document["files"][0]

    text, other = dump(binary, path, "yaml", *options)
    if other != status:
        yield f"yaml: exit code {other}, json has {status}"
    # `repr` tells 1 from 1.0 from True, and 0.0 from -0.0.
    if len(text) < TOO_LONG and repr(yaml.load(text, Loader=LOADER)) != repr(document):
        yield "yaml: not the same data as json"

    text, _ = dump(binary, path, "ndjson", *options)
    lines = [json.loads(line) for line in text.split("\n") if line]
    yield from counts("ndjson", [line["kind"] for line in lines], file)

    text, _ = dump(binary, path, "csv", *options)
    csv.field_size_limit(2**31 - 1)
    titles, *records = csv.reader(io.StringIO(text, newline=""), strict=True)
    yield from counts("csv", [record[1] for record in records], file)
    if any(len(record) != len(titles) for record in records):
        yield "csv: records of different lengths"
    for record in records:
        for cell in record:
            if FORMULA.match(cell) and not NUMBER.fullmatch(cell):
                yield f"csv: a formula: {cell[:60]!r}"

    for length in ("120", "all"):
        text, _ = dump(binary, path, "markdown", "--text", length, *options)
        columns = None
        for line in text.split("\n"):
            bars = line.count("|") if line.startswith("|") else None
            if bars is not None and columns is not None and bars != columns:
                yield f"markdown: {bars - 1} columns where there were {columns - 1}: {line[:60]!r}"
            columns = bars


def counts(form: str, kinds: list[str], file: dict[str, Any]) -> Iterator[str]:
    for kind, section in (("kv", "metadata"), ("tensor", "tensors"), ("anomaly", "anomalies")):
        if kinds.count(kind) != len(file[section]):
            yield f"{form}: {kinds.count(kind)} records of kind {kind}, json has {len(file[section])}"
    if ("error" in kinds) != bool(file["errors"]):
        yield f"{form}: the error of json is missing, or the other way round"


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for path in sys.argv[2:]:
        found = [f"--arrays {arrays}: {line}" for arrays in ("3", "all") for line in differences(sys.argv[1], path, arrays)]
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {path}")
        for line in found[:8]:
            print(f"       {line}")
    print(f"{len(sys.argv) - 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
