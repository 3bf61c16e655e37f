"""Cycles per 256 weights of nrt's arm64 kernels, and of ggml's, by llvm-mca.

    python3 conformance/armcycles/armcycles.py                 nrt alone
    python3 conformance/armcycles/armcycles.py --ggml GGML     with ggml's, of a checkout of llama.cpp: its folder ggml

A product is run once under qemu, which writes down every instruction of the kernel on its way, loops and all; llvm-mca
says how long that takes a processor whose caches never miss and whose branches are always foreseen. What a call costs
by itself is taken off: two lengths of rows are run, and the difference counts.

Needs Go, qemu-user-static (qemu-aarch64-static) and LLVM 16 or later (llvm-mca, llvm-objdump, llvm-nm); for ggml clang
and g++-aarch64-linux-gnu as well.
"""

import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ["Q4_K", "Q5_K", "Q6_K", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "Q2_K", "Q3_K"]
COLUMNS = [1, 8, 64]

# The processor qemu plays, the tables llvm-mca reads (its cortex-a76 has those of another core), nrt's instruction set,
# the processors clang compiles ggml for, and the layouts ggml repacks weights to on it.
MACHINES = {
    "cortex-a72": ("cortex-a72", "cortex-a72", "neon", ["cortex-a72"], []),
    "cortex-a76": ("cortex-a76", "neoverse-n1", "neon-dotprod", ["cortex-a76+dotprod", "neoverse-n1"], ["4x4", "8x4"]),
    "neoverse-n2": ("max", "neoverse-n2", "neon-i8mm", ["cortex-a76+dotprod+i8mm", "neoverse-n2+nosve+nosve2"], ["4x4", "8x4", "4x8", "8x8"]),
}
LEVELS = [["-O2"], ["-O3"], ["-O3", "-funroll-loops"]]
SOURCES = ["arch/arm/quants.c", "arch/arm/repack.cpp", "quants.c", "repack.cpp"]


def tool(name):
    """The newest of the versions that are here."""
    for candidate in [f"{name}-{v}" for v in range(24, 15, -1)] + [name]:
        if shutil.which(candidate):
            return candidate
    sys.exit(f"{name} is not here")


def output(*command, **options):
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if run.returncode:
        raise RuntimeError(f"{command[0]}: {run.stderr[:500]}")
    return run.stdout


class Program:
    """An arm64 program and the functions in it that are looked at."""

    def __init__(self, path, functions):
        self.path, self.ranges, self.code = path, [], {}
        for line in output(tool("llvm-nm"), "-S", "--defined-only", path).splitlines():
            fields = line.split()
            if len(fields) == 4 and re.fullmatch(functions, fields[3]):
                start, size = int(fields[0], 16), int(fields[1], 16)
                self.ranges.append((start, start + size))
                self.disassemble(start, start + size)

    def disassemble(self, start, end):
        text = output(tool("llvm-objdump"), "-d", "--no-show-raw-insn", "--mattr=+all",
                      f"--start-address={start}", f"--stop-address={end}", self.path)
        for address, instruction in re.findall(r"^\s*([0-9a-f]+):\s+([^/\n]*)", text, re.M):
            # Where a branch goes does not matter: what is on the way is written down.
            instruction = re.sub(r"0x[0-9a-f]+ <.*", "#4096" if instruction.startswith("adrp") else "#4", instruction)
            self.code[int(address, 16)] = instruction.strip()

    def instructions(self, cpu, arguments, environment={}):
        """What the processor meets in the functions, in order."""
        with tempfile.NamedTemporaryFile() as log:
            where = ",".join(f"{start:#x}..{end - 1:#x}" for start, end in self.ranges)
            output("qemu-aarch64-static", "-cpu", cpu, "-singlestep", "-d", "exec,nochain", "-dfilter", where, "-D", log.name,
                   self.path, *arguments, env={**os.environ, **environment})
            met = [int(a, 16) for a in re.findall(r"\[[0-9a-f]+/([0-9a-f]+)/", log.read().decode())]
        return [self.code[a] for a in met if a in self.code]


def cycles(instructions, tables):
    text = output(tool("llvm-mca"), "-mtriple=aarch64", f"-mcpu={tables}", "-mattr=+dotprod,+i8mm", "-iterations=1",
                  "-all-views=0", "-summary-view", input="\n".join(instructions) + "\n")
    return int(re.search(r"Total Cycles:\s+(\d+)", text)[1])


def per_256(run, lengths, outputs, tables):
    """Cycles for 256 weights of a row and one column; run gives the instructions for a length of row."""
    short, long = (cycles(run(n), tables) for n in lengths)
    return (long - short) / ((lengths[1] - lengths[0]) / 256 * outputs)


def ours(folder, machine):
    cpu, tables, isa, _, _ = MACHINES[machine]
    path = folder / "nrt"
    if not path.exists():
        output("go", "build", "-o", path, ".", cwd=HERE, env={**os.environ, "GOARCH": "arm64", "GOOS": "linux", "CGO_ENABLED": "0"})
    for name in FORMATS:
        program = Program(path, rf".*/kernels\.rows?{name}NEON(Dot|I8MM)?\.abi0")
        for n in COLUMNS:
            def run(weights):
                arguments = ["-type", name, "-weights", weights, "-columns", n]
                return program.instructions(cpu, [str(a) for a in arguments], {"NRT_ISA": isa})
            yield name, n, per_256(run, (256, 512) if n > 8 else (512, 1536), 16 * n, tables)


@functools.cache
def objects(folder, ggml, flags):
    source, files = ggml / "src", []
    for name in SOURCES:
        files.append(folder / f"{''.join(flags)}{name.replace('/', '-')}.o")
        output(tool("clang"), *(["-std=c++17"] if name.endswith("cpp") else []), "--target=aarch64-linux-gnu", *flags,
               "-DNDEBUG", "-ffunction-sections", "-I", ggml / "include", "-I", source, "-I", source / "ggml-cpu",
               "-c", source / "ggml-cpu" / name, "-o", files[-1])
    return files


def candidates(name, layouts):
    """ggml's functions for a format, each with its arguments, columns, outputs and whether it is for one column."""
    kind, block = name.lower().replace("_k", "_K"), "q8_K" if name.endswith("_K") else "q8_1" if name.endswith("_1") else "q8_0"
    yield f"ggml_vec_dot_{kind}_{block}", ["dot", 1], 1, 1
    if "8x8" in layouts:
        yield f"ggml_vec_dot_{kind}_{block}", ["dot", 2], 2, 4
    for layout in layouts:
        rows = int(layout[0])
        yield f"ggml_gemv_{kind}_{layout}_{block}", ["panel", 1, rows], 1, rows
        for n in (4, 16):
            yield f"ggml_gemm_{kind}_{layout}_{block}", ["panel", n, rows], n, n * rows


def theirs(folder, ggml, machine):
    """For every format the best for one column and for many: cycles, function, flags."""
    cpu, tables, _, processors, layouts = MACHINES[machine]
    for name in FORMATS:
        best = {}
        for flags in ((f"-mcpu={processor}", *level) for processor in processors for level in LEVELS):
            files = objects(folder, ggml, flags)
            known = output(tool("llvm-nm"), *files[:2])
            for function, (kind, *sizes), columns, outputs in candidates(name, layouts):
                if not re.search(rf" T {function}$", known, re.M):
                    continue
                path = folder / f"{function}{''.join(flags)}"
                if not path.exists():
                    output("aarch64-linux-gnu-g++", "-static", "-Wl,--gc-sections", "-Wl,--unresolved-symbols=ignore-all",
                           "-x", "c", f"-DCALLEE={function}", HERE / "ggml/call.c", "-x", "none", *files, "-o", path)
                program = Program(path, function)
                try:
                    found = per_256(lambda w: program.instructions(cpu, [str(a) for a in [kind, w, *sizes]]), (1024, 2048), outputs, tables)
                except RuntimeError:
                    continue  # a vec_dot that has no 2 x 2 form says so by stopping
                for n in COLUMNS:
                    if columns <= n and found < best.get(n, (float("inf"),))[0]:
                        best[n] = found, function, " ".join(flags)
        yield name, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ggml", type=pathlib.Path, help="the folder ggml of a checkout of llama.cpp")
    parser.add_argument("--machine", choices=MACHINES, action="append")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for machine in options.machine or MACHINES:
            report(pathlib.Path(folder), options.ggml, machine)


def report(folder, ggml, machine):
    mine = {(name, n): c for name, n, c in ours(folder, machine)}
    best = dict(theirs(folder, ggml, machine)) if ggml else {}
    print(f"\n### {machine}\n\n| format |" + "".join(f" {n} |" + (" ggml |" if ggml else "") for n in COLUMNS) + (" ggml's best |" if ggml else ""))
    print("|---" * (1 + len(COLUMNS) * (2 if ggml else 1) + bool(ggml)) + "|")
    for name in FORMATS:
        row = [name]
        for n in COLUMNS:
            row.append(f"{mine[name, n]:.1f}")
            if ggml:
                row.append(f"{best[name][n][0]:.1f}")
        if ggml:
            row.append(", ".join(dict.fromkeys(f"`{f}` {flags}" for _, f, flags in best[name].values())))
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
