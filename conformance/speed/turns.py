"""Speed of several engines on the same files, in turn, so that a machine's moods meet all of them alike.

    python3 turns.py -m tiny.gguf -t 1,2 -p 512 -n 32 --rounds 5 \\
        --engine 'nrt=nrt bench' \\
        --engine 'llama.cpp=/tmp/llama.cpp/build/bin/llama-bench -fa 1' \\
        --engine 'ik=/tmp/ik_llama.cpp/build/bin/llama-bench -fa 1 -rtr 1'

An engine is a name and a command that takes llama-bench's flags -m -t -p -n -r and -o json, and prints its fields
(n_prompt, n_gen, avg_ts); words with = before the command go to its environment (NRT_ISA=avx2). Every round runs every
engine once, one test a process. The table has medians, [least, most], and the first engine's median beside the best of
the others. Nothing else may run on the machine. Needs Python 3.9 and no packages.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--model", action="append", required=True, help="a GGUF file; several with -m again")
    parser.add_argument("-t", "--threads", default="1,2", help="threads, a list (default 1,2)")
    parser.add_argument("-p", "--prompt", default="512", help="lengths of prompts, a list; 0 for none")
    parser.add_argument("-n", "--gen", default="32", help="lengths of generations, a list; 0 for none")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each test (default 5)")
    parser.add_argument("--extra", default="", help="flags that every engine gets, e.g. '-d 2048'")
    parser.add_argument("--engine", action="append", required=True, help="NAME=[VAR=value] COMMAND; the first is compared with the others")
    parser.add_argument("--save", help="keep every figure in this file, as JSON")
    return parser.parse_args()


def split(engine):
    """NAME=VAR=value COMMAND -> (name, environment, words)."""
    name, _, command = engine.partition("=")
    words = shlex.split(command)
    env = dict(os.environ)
    while words and "=" in words[0]:
        key, _, value = words.pop(0).partition("=")
        env[key] = value
    if not words:
        sys.exit(f"--engine {engine!r}: no command after {name!r}")
    return name, env, words


def measure(env, words, model, threads, prompt, gen, extra):
    """Tokens per second of one test in a process of its own."""
    command = [*words, "-m", model, "-t", threads, "-p", str(prompt), "-n", str(gen), "-r", "1", "-o", "json", *shlex.split(extra)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    for record in json.loads(done.stdout):
        if record["n_prompt"] == prompt and record["n_gen"] == gen:
            return record["avg_ts"]
    sys.exit(f"{shlex.join(command)}: no record of {prompt} prompt and {gen} generated tokens")


def numbers(text):
    return [int(n) for n in text.split(",") if int(n) > 0]


def main():
    args = arguments()
    engines = [split(e) for e in args.engine]
    tests = [(n, 0) for n in numbers(args.prompt)] + [(0, n) for n in numbers(args.gen)]
    cases = [(m, t, p, n) for m in args.model for t in args.threads.split(",") for p, n in tests]
    figures = {case: {name: [] for name, _, _ in engines} for case in cases}
    for turn in range(args.rounds):
        for case in cases:
            for name, env, words in engines:
                figures[case][name].append(measure(env, words, *case, args.extra))
                print(f"\rround {turn + 1} of {args.rounds}: {pathlib.Path(case[0]).stem} {name}\033[K", end="", file=sys.stderr)
    print("\r\033[K", end="", file=sys.stderr)
    report(figures, [name for name, _, _ in engines], args)
    if args.save:
        records = [{"model": pathlib.Path(m).name, "n_threads": int(t), "n_prompt": p, "n_gen": n, "extra": args.extra,
                    "engine": name, "samples_ts": samples}
                   for (m, t, p, n), by_engine in figures.items() for name, samples in by_engine.items()]
        pathlib.Path(args.save).write_text(json.dumps(records, indent=1) + "\n")


def report(figures, names, args):
    print(f"tokens/s, medians of {args.rounds} rounds in turn [least, most]; extra flags: {args.extra or 'none'}\n")
    print("| model | threads | test |", " | ".join(names), "| first : best other |")
    print("|---|---|---|" + "---|" * (len(names) + 1))
    for (model, threads, prompt, gen), by_engine in figures.items():
        cells, medians = [], []
        for name in names:
            samples = by_engine[name]
            medians.append(statistics.median(samples))
            cells.append(f"{medians[-1]:.4g} [{min(samples):.4g}, {max(samples):.4g}]")
        ratio = f"{medians[0] / max(medians[1:]):.2f}" if len(medians) > 1 else ""
        test = f"pp{prompt}" if prompt else f"tg{gen}"
        print(f"| {pathlib.Path(model).stem} | {threads} | {test} | " + " | ".join(cells) + f" | {ratio} |")


if __name__ == "__main__":
    main()
