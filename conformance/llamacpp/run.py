"""Runs the checks against llama.cpp: python3 run.py [divergence] [quantize] [tokens] (all without arguments).

Needs only Python 3.10, Go and a C++ compiler: where the packages of requirements.txt are not at hand in the running
Python it makes an environment in $NRT_CONFORMANCE_CACHE (~/.cache/nrt-conformance) and builds llama.cpp there, some
minutes once. $NRT is the nrt to judge (built from this tree otherwise), $NRT_SMOLLM2 the model (fetched otherwise).
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
    requirements = HERE / "requirements.txt"
    if satisfied(requirements):
        return sys.executable
    folder = oracle.CACHE / "venv"
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = folder / "installed.txt"
    if installed.exists() and installed.read_text() == requirements.read_text():
        return str(interpreter)
    venv.create(folder, with_pip=True)
    print(f"installing {requirements.name} in {folder}: llama.cpp takes some minutes to build", flush=True)
    env = dict(os.environ)
    env.setdefault("CMAKE_ARGS", BUILD)
    subprocess.run([str(interpreter), "-m", "pip", "install", "--quiet", "-r", str(requirements)], env=env, check=True)
    installed.write_text(requirements.read_text())
    return str(interpreter)


def main():
    steps = sys.argv[1:] or list(STEPS)
    if unknown := [s for s in steps if s not in STEPS]:
        sys.exit(f"no step {unknown[0]!r}\n\n{__doc__}")
    interpreter = python()
    env = dict(os.environ, NRT=oracle.nrt_binary(), NRT_SMOLLM2=str(oracle.smollm2()))
    failed = []
    for step in steps:
        print(f"\n== {step}", flush=True)
        if subprocess.run([interpreter, str(HERE / f"{step}.py")], env=env).returncode != 0:
            failed.append(step)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
