"""Holds nrt's distributions against llama.cpp's on a text.

usage: divergence.py [MODEL] [--tokens N] [--ctx C]

The yardstick is llama.cpp on a float32 copy of MODEL's weights; why not its run of MODEL itself, ../README.md tells. Three
runs are held against the yardstick:

 float32    nrt on the float32 copy: the same arithmetic up to its order. It must all but agree.
 quantized  nrt on MODEL itself: it may stand no further away than llama.cpp does.
 llama.cpp  llama.cpp on MODEL itself: what 8-bit activations cost there.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import oracle
import reader

ALL_F32 = 0             # llama.cpp's number of that file type
FLOAT32_KL = 1e-5       # nats, mean, of the float32 run; llama.cpp with flash attention on stands at 7e-7
FLOAT32_SAME_TOP = 0.995
PERPLEXITY = 0.005      # relative difference of either run's from llama.cpp's with the same weights
QUANTIZED_RATIO = 1.1   # mean KL of the quantized run to llama.cpp's


def logits(model, out, a):
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([sys.executable, str(here / "logits.py"), str(model), str(oracle.TEXT), str(out), "--tokens", str(a.tokens),
                    "--ctx", str(a.ctx)], check=True)


def ours(nrt, model, reference):
    """nrt's own measures against a logits file."""
    out = subprocess.run([nrt, "eval", "-m", str(model), "--compare-logits", str(reference), "--json"],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="?")
    p.add_argument("--tokens", type=int, default=2560)
    p.add_argument("--ctx", type=int, default=512)
    a = p.parse_args()
    model, nrt = a.model or oracle.smollm2(), oracle.nrt_binary()
    with tempfile.TemporaryDirectory(prefix="nrt-divergence-") as folder:
        folder = pathlib.Path(folder)
        oracle.quantize(model, folder / "f32.gguf", ALL_F32)
        logits(folder / "f32.gguf", folder / "f32.logits", a)
        logits(model, folder / "own.logits", a)
        theirs = reader.compare(folder / "f32.logits", folder / "own.logits")
        exact = ours(nrt, folder / "f32.gguf", folder / "f32.logits")
        quantized = ours(nrt, model, folder / "f32.logits")
    print()
    sys.exit(report(exact, quantized, theirs))


def report(exact, quantized, theirs):
    """Prints the runs and the goals; how many goals were missed."""
    rows = [("run", "positions", "mean KL", "median", "99 %", "max", "same top", "perplexity")]
    for name, run in (("nrt, float32", exact), ("nrt, quantized", quantized), ("llama.cpp, quantized", theirs)):
        rows.append((name, run["positions"], *(f"{run[k]:.3e}" for k in ("mean_kl", "median_kl", "p99_kl", "max_kl")),
                     f"{run['same_top']:.4f}", f"{run['quality']['perplexity']:.4f}"))
    reference = exact["reference_quality"]["perplexity"]
    rows.append(("llama.cpp, float32", exact["positions"], *[""] * 5, f"{reference:.4f}"))
    oracle.table(rows)
    print()
    off = lambda run, base: abs(run["quality"]["perplexity"] / base - 1)
    goals = [
        ("float32: mean KL", exact["mean_kl"], FLOAT32_KL),
        ("float32: share of other top tokens", 1 - exact["same_top"], 1 - FLOAT32_SAME_TOP),
        ("float32: perplexity off llama.cpp's", off(exact, reference), PERPLEXITY),
        ("quantized: mean KL to llama.cpp's", quantized["mean_kl"] / theirs["mean_kl"], QUANTIZED_RATIO),
        ("quantized: perplexity off llama.cpp's", off(quantized, theirs["quality"]["perplexity"]), PERPLEXITY),
    ]
    oracle.table([("goal", "found", "at most", "verdict")] +
                 [(what, f"{found:.3g}", f"{most:.3g}", "ok" if found <= most else "FAILED") for what, found, most in goals])
    return int(sum(found > most for _, found, most in goals))


if __name__ == "__main__":
    main()
