"""What Python's jinja2 makes of our templates: the goldens of this package.

The environment is the one in which Hugging Face's apply_chat_template runs a chat template.

  oracle.py renders TEMPLATE_DIR   every template in six scenarios -> renders.json: length and sha256 of each text
  oracle.py text TEMPLATE SCENARIO the text itself, to look at a difference
  oracle.py cases                  fills in the results in cases.json
  oracle.py serve                  one case per line on standard input, one result per line on standard output
"""

import hashlib
import json
import pathlib
import sys
from datetime import datetime

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = pathlib.Path(__file__).parent
NOW = datetime(2024, 7, 26, 15, 4, 5)


class Generation(Extension):
    """{% generation %} marks what the assistant wrote; here it only renders its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


class Refused(Exception):
    pass


def raise_exception(message):
    raise Refused(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols", "jinja2.ext.do"]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(template, variables):
    """The text, or {"raised": message}, or {"error": what}."""
    try:
        return environment().from_string(template).render(**variables)
    except Refused as e:
        return {"raised": str(e)}
    except Exception as e:
        return {"error": f"{type(e).__name__}: {e}"[:200]}


def golden(template, variables):
    result = render(template, variables)
    if isinstance(result, dict):
        return result
    data = result.encode()
    return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def renders(directory):
    scenarios = json.loads((HERE / "scenarios.json").read_text())
    table = {}
    for path in sorted(pathlib.Path(directory).glob("*.jinja")):
        source = path.read_text()
        table[path.name] = {name: golden(source, json.loads(json.dumps(v))) for name, v in scenarios.items()}
    (HERE / "renders.json").write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")


def cases():
    path = HERE / "cases.json"
    table = json.loads(path.read_text())
    for case in table:
        result = render(case["template"], case.get("vars", {}))
        for field in ("want", "raised", "error"):
            case.pop(field, None)
        case.update(result if isinstance(result, dict) else {"want": result})
    path.write_text("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False) for c in table) + "\n]\n")


def serve():
    for line in sys.stdin:
        case = json.loads(line)
        result = render(case["template"], case.get("vars", {}))
        print(json.dumps(result if isinstance(result, dict) else {"want": result}), flush=True)


def text(template, scenario):
    scenarios = json.loads((HERE / "scenarios.json").read_text())
    result = render(pathlib.Path(template).read_text(), scenarios[scenario])
    sys.stdout.write(result if isinstance(result, str) else json.dumps(result) + "\n")


if __name__ == "__main__":
    {"renders": renders, "cases": cases, "serve": serve, "text": text}[sys.argv[1]](*sys.argv[2:])
