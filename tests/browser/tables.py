"""Tables that the pages of the browser tests are made from."""

import json
import random

HOSTILE = [
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=hacked=1>",
    "=cmd|' /C calc'!A0",
    "\"quoted\" 'twice' & <b>bold</b>",
    "{data}{script}<!-- ]]>",
    "line\u2028separators\u2029and \u202eturned",
    "naïve ☃ 日本語 🦀",
    "<svg onload=hacked=1>",
    "שלום עולם",
    "nul\x00and\x1bescape",
    "long " + "x" * 100_000,
]
#: The name of the column that holds them.
NAME = "<img src=x onerror=hacked=1>"


def hostile(path):
    """Rows in three groups and some far out, with text that would do something if it were markup; as JSON lines, which
    may hold any character."""
    generator = random.Random(1)
    lines = []
    for row in range(400):
        group = row % 3
        far = 40 if row % 40 == 7 else 1
        values = {f"value{j}": round(generator.gauss(6 * group * (j % 2), 1) * far, 4) for j in range(5)}
        # One cell of 10^5 characters is enough for the whole table.
        text = HOSTILE[row % (len(HOSTILE) - 1)] if row else HOSTILE[-1]
        lines.append(json.dumps({"id": f"r{row}", NAME: text, **values}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def wide(path):
    """Few rows of many columns."""
    generator = random.Random(2)
    lines = [",".join(f"gene{j}" for j in range(2000))]
    for row in range(60):
        lines.append(",".join(f"{generator.gauss(row % 3, 1):.3f}" for _ in range(2000)))
    path.write_text("\n".join(lines) + "\n")
