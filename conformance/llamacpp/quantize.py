"""Holds `nrt quantize` against llama.cpp's quantizer on the same weights.

usage: quantize.py [MODEL ...] [--types Q8_0 Q4_K_M ...] [--generate N] [--perplexity]

MODELs are SmolLM2 and a synthetic model (synthetic.py) by default; a source that is not float32 is decoded first. For each
type nrt and llama.cpp quantize the model, and
 - every tensor must have the format that llama.cpp gives it;
 - nrt's bytes are held against ggml_quantize_chunk on the same float32 rows: the plain formats must be equal bit for bit,
   for the K formats the mean-square error may be at most 2 % larger;
 - llama.cpp must load nrt's file and generate N tokens greedily;
 - with --perplexity, llama.cpp measures both files on the test text.
"""

import argparse
import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFReader
from gguf.quants import dequantize

import logits
import oracle
import reader
import synthetic

EXACT = {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"}
FTYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9, "Q2_K": 10, "Q3_K_S": 11, "Q3_K_M": 12,
          "Q3_K_L": 13, "Q4_K_S": 14, "Q4_K_M": 15, "Q5_K_S": 16, "Q5_K_M": 17, "Q6_K": 18}
FLOATS = {GGMLQuantizationType.F32: "<f4", GGMLQuantizationType.F16: "<f2"}
MSE_SLACK = 1.02
ROWS = 4096  # quantized at a time: bounds the memory


def ggml():
    import llama_cpp

    folder = pathlib.Path(llama_cpp.__file__).parent / "lib"
    lib = ctypes.CDLL(str(next(folder.glob("*ggml-base*"))))
    lib.ggml_quantize_chunk.restype = ctypes.c_size_t
    lib.ggml_quantize_chunk.argtypes = [
        ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    return lib


def by_ggml(lib, kind, rows, nbytes):
    """ggml's bytes for float32 rows."""
    if kind in FLOATS:
        return np.frombuffer(rows.astype(FLOATS[kind]).tobytes(), dtype=np.uint8)
    out = np.empty(nbytes, dtype=np.uint8)
    n = lib.ggml_quantize_chunk(int(kind), rows.ctypes.data, out.ctypes.data, 0, rows.shape[0], rows.shape[1], None)
    if n != nbytes:
        raise ValueError(f"ggml_quantize_chunk wrote {n} bytes, want {nbytes}")
    return out


def as_float(data, kind, cols):
    """Float32 rows [rows][cols] of bytes in any format."""
    if kind in FLOATS:
        data = np.ascontiguousarray(data).view(FLOATS[kind])
    return np.ascontiguousarray(dequantize(data, kind), dtype=np.float32).reshape(-1, cols)


class Tally:
    """What all tensors of one format in one file come to."""

    def __init__(self):
        self.tensors = self.blocks = self.equal = 0
        self.ours = self.theirs = self.power = 0.0

    def add(self, kind, rows, got, want):
        size = GGML_QUANT_SIZES[kind][1]
        same = (got.reshape(-1, size) == want.reshape(-1, size)).all(axis=1)
        self.blocks += len(same)
        self.equal += int(same.sum())
        exact = rows.astype(np.float64)
        self.power += float((exact ** 2).sum())
        self.ours += float(((as_float(got, kind, rows.shape[1]) - exact) ** 2).sum())
        self.theirs += float(((as_float(want, kind, rows.shape[1]) - exact) ** 2).sum())

    def ratio(self):
        if self.theirs == 0:
            return 1.0 if self.ours == 0 else math.inf
        return self.ours / self.theirs

    def good(self, kind):
        return self.equal == self.blocks if kind in EXACT else self.ratio() <= MSE_SLACK


def tensors(path):
    return {t.name: t for t in GGUFReader(path).tensors}


def compare(lib, source, produced):
    """A Tally for each format among the tensors that nrt converted."""
    originals, copies, tallies = tensors(source), tensors(produced), {}
    if originals.keys() != copies.keys():
        raise ValueError("the tensors of the two files differ in name")
    for name, t in copies.items():
        original = originals[name]
        if list(original.shape) != list(t.shape):
            raise ValueError(f"{name} has shape {t.shape}, the original {original.shape}")
        if original.tensor_type == t.tensor_type:
            if original.data.tobytes() != t.data.tobytes():
                raise ValueError(f"{name} kept its format and changed its bytes")
            continue
        tally = tallies.setdefault(t.tensor_type.name, Tally())
        tally.tensors += 1
        cols = int(t.shape[0])
        rows = as_float(original.data, original.tensor_type, cols)
        data = np.frombuffer(t.data.tobytes(), dtype=np.uint8).reshape(len(rows), -1)
        for at in range(0, len(rows), ROWS):
            chunk, got = rows[at:at + ROWS], data[at:at + ROWS]
            tally.add(t.tensor_type, chunk, got, by_ggml(lib, t.tensor_type, chunk, got.size).reshape(got.shape))
    return tallies


def other_formats(ours, theirs):
    """The tensors to which llama.cpp gives another format than nrt: "name nrt's theirs"."""
    a, b = tensors(ours), tensors(theirs)
    return [f"{n} {a[n].tensor_type.name} {b[n].tensor_type.name}" for n in a if a[n].tensor_type != b[n].tensor_type]


def generate(path, count):
    """Greedy text of llama.cpp with the file."""
    llama = oracle.load(path, n_ctx=256)
    prompt = oracle.tokenize(llama, "The capital of France is")
    if oracle.adds_bos(llama):
        prompt.insert(0, llama.token_bos())
    llama.eval(prompt)
    out = []
    for _ in range(count):
        scores = np.ctypeslib.as_array(llama._ctx.get_logits(), shape=(llama.n_vocab(),))
        if not np.isfinite(scores).all():
            raise ValueError(f"llama.cpp computes logits that are not finite with {path}")
        out.append(int(scores.argmax()))
        llama.eval(out[-1:])
    return llama.detokenize(out).decode("utf-8", "replace")


def perplexity(path, tokens=1024, ctx=256):
    """llama.cpp's perplexity on the test text with the file; the second half of each window counts."""
    llama = oracle.load(path, n_ctx=ctx, n_batch=ctx, logits_all=True)
    with open(oracle.TEXT, encoding="utf-8") as f:
        ids = oracle.tokenize(llama, f.read())[:tokens]
    nll = []
    for window in logits.windows(llama, ids, ctx):
        rows = logits.rows(llama, window)
        nll += [-reader.log_softmax(rows[i].astype(np.float64))[window[i + 1]] for i in range(ctx // 2, ctx - 1)]
    return math.exp(np.mean(nll))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="*")
    p.add_argument("--types", nargs="+", default=["Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K_M", "Q4_K_M", "Q5_K_M", "Q6_K"])
    p.add_argument("--generate", type=int, default=16)
    p.add_argument("--perplexity", action="store_true")
    a = p.parse_args()
    nrt, lib, failures = oracle.nrt_binary(), ggml(), []
    blocks = [("model", "type", "format", "tensors", "blocks", "equal", "error ours", "error theirs", "ratio", "verdict")]
    files = [("model", "type", "MB", "formats", "perplexity", "of theirs", "llama.cpp goes on with it")]
    with tempfile.TemporaryDirectory(prefix="nrt-quantize-") as folder:
        ours, theirs, made = (pathlib.Path(folder) / f"{n}.gguf" for n in ("ours", "theirs", "synthetic"))
        synthetic.write(made)
        for source in a.models or [oracle.smollm2(), made]:
            model = pathlib.Path(source).stem
            for name in a.types:
                print(f"{model} as {name}", file=sys.stderr, flush=True)
                subprocess.run([nrt, "quantize", str(source), str(ours), "--type", name], check=True, stdout=subprocess.DEVNULL)
                oracle.quantize(source, theirs, FTYPES[name])
                for kind, t in sorted(compare(lib, source, ours).items()):
                    verdict = "ok" if t.good(kind) else "FAILED"
                    if verdict != "ok":
                        failures.append(f"{model} as {name}: {kind}")
                    blocks.append((model, name, kind, t.tensors, t.blocks, f"{t.equal / t.blocks:.6f}", f"{math.sqrt(t.ours / t.power):.6f}",
                                   f"{math.sqrt(t.theirs / t.power):.6f}", f"{t.ratio():.4f}", verdict))
                other = other_formats(ours, theirs)
                failures += [f"{model} as {name}: {line}" for line in other]
                measured = [f"{perplexity(f):.4f}" for f in (ours, theirs)] if a.perplexity else ["", ""]
                files.append((model, name, f"{ours.stat().st_size / 1e6:.1f}", f"{len(other)} differ" if other else "as theirs", *measured,
                              repr(generate(ours, a.generate))))
                ours.unlink()
    oracle.table(blocks)
    print("\nerror: root mean square, relative to the weights'; ratio: of the mean-square errors\n")
    oracle.table(files)
    if failures:
        sys.exit("\n" + "\n".join(failures))


if __name__ == "__main__":
    main()
