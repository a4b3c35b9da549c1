"""Draws docs/images/speed.svg from results.jsonl. Needs matplotlib."""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
records = [json.loads(line) for line in (HERE / "results.jsonl").read_text().splitlines()]
contests = list(dict.fromkeys(record["contest"] for record in records))
plt.rcParams.update({"font.size": 11, "svg.hashsalt": "arss"})
figure, axes = plt.subplots(1, len(contests), figsize=(16, 3.8), sharey=True)
for axis, contest in zip(axes, contests, strict=True):
    rows = [record for record in records if record["contest"] == contest]
    literal = [(r["n"], r["literal_s"]) for r in rows if r["literal_s"] is not None]
    axis.loglog(*zip(*literal, strict=True), "o--", color="#D55E00", label="literal form")
    axis.loglog([r["n"] for r in rows], [r["fast_s"] for r in rows], "s-", color="#0072B2", label="arss")
    name, forms = contest.split(": ")
    axis.set_title(f"{name}\n{forms.split(' / ')[0]}", fontsize=11)
    axis.set_xlabel("rows N")
    axis.grid(True, which="major", alpha=0.3)
axes[0].set_ylabel("seconds")
axes[0].legend(frameon=False)
figure.tight_layout()
figure.savefig(HERE.parent.parent / "docs" / "images" / "speed.svg", metadata={"Date": None})
