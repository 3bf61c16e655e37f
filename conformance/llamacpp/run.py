"""Runs the checks against llama.cpp: python3 run.py [divergence] [quantize] [tokens] (all without arguments).

Needs only Python 3.10, Go, a C++ compiler and, for divergence, OpenBLAS (Debian: libopenblas-dev). Where the packages
of requirements.txt are not at hand in the running Python it makes an environment in $NRT_CONFORMANCE_CACHE
(~/.cache/nrt-conformance) and builds llama.cpp there, some minutes once; a second one has the llama.cpp with BLAS that
divergence wants. $NRT is the nrt to judge (built from this tree otherwise), $NRT_SMOLLM2 the model (fetched otherwise).
"""

import importlib.metadata
import os
import pathlib
import subprocess
import sys
import venv

import oracle

HERE = pathlib.Path(__file__).resolve().parent
STEPS = ("divergence", "quantize", "tokens")
# The instruction sets of any x86-64 of the last ten years: what compilers make of newer ones is not under test here.
BUILD = "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_AVX512=OFF"
BLAS = "-DGGML_BLAS=ON -DGGML_BLAS_VENDOR=OpenBLAS"


def satisfied(requirements):
    for line in requirements.read_text().split():
        name, version = line.split("==")
        try:
            if importlib.metadata.version(name) != version:
                return False
        except importlib.metadata.PackageNotFoundError:
            return False
    return True


def python():
    """An interpreter that has the requirements."""
    if satisfied(HERE / "requirements.txt"):
        return sys.executable
    return environment("venv", "")


def environment(name, options):
    """The interpreter of an environment that has the requirements, its llama.cpp built with more options than BUILD."""
    requirements = HERE / "requirements.txt"
    folder = oracle.CACHE / name
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = folder / "installed.txt"
    if installed.exists() and installed.read_text() == requirements.read_text():
        return str(interpreter)
    venv.create(folder, with_pip=True)
    print(f"installing {requirements.name} in {folder}: llama.cpp takes some minutes to build", flush=True)
    env = dict(os.environ)
    env["CMAKE_ARGS"] = f"{env.get('CMAKE_ARGS', BUILD)} {options}"
    # pip's cache knows a package by its version, not by how it was built.
    subprocess.run([str(interpreter), "-m", "pip", "install", "--quiet", "--no-cache-dir", "-r", str(requirements)], env=env,
                   check=True)
    installed.write_text(requirements.read_text())
    return str(interpreter)


def main():
    steps = sys.argv[1:] or list(STEPS)
    if unknown := [s for s in steps if s not in STEPS]:
        sys.exit(f"no step {unknown[0]!r}\n\n{__doc__}")
    interpreter = python()
    env = dict(os.environ, NRT=oracle.nrt_binary(), NRT_SMOLLM2=str(oracle.smollm2()))
    if "divergence" in steps:
        env["NRT_CONFORMANCE_BLAS"] = environment("venv-blas", BLAS)
    failed = []
    for step in steps:
        print(f"\n== {step}", flush=True)
        if subprocess.run([interpreter, str(HERE / f"{step}.py")], env=env).returncode != 0:
            failed.append(step)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
