"""A task, from its draft to a model, its predictions and the page about them."""

from __future__ import annotations

import html
import json
import os
import re
import warnings
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._program import ResolweWarning, UsageError, run
from ._tables import Database, frame, temporary

SAMPLED = re.compile(r"(?m)^sample center .*\n")  # a draft keeps so many centers, for learning
TARGET = re.compile(r"\s*([^(]*?)\s*\(\s*(.*?)\s*,\s*(.*?)\s*\)\s*")


class Task:
    """What is predicted, and from what.

    Parameters
    ----------
    db : Database
        The tables.
    center : str
        "table.column": a subgraph is formed around each of its values.
    target : str
        "table(column, column)": the center and what is predicted of it, or what is predicted and a column that says yes
        or no about it. It is a UsageError if the center or the target does not fit the tables.
    recipe, model : str, optional
        Texts of an earlier task, instead of a center and a target. As attributes they say how subgraphs are cut, and what is
        declared; assign an edited text to use it from then on.
    workers, memory, seed : optional
        Options of all commands: goroutines, a limit such as "4GiB", and the seed of all random numbers.
    **draft
        Options of `resolwe init`: horizon="60d" is how far ahead a label looks, by default no earlier label is evidence; yes is the
        text of the label that means yes; time, as_, trust, keep_sentinel and layout correct the draft, as_="shots.size=category".
    """

    def __init__(
        self, db: Database, center: str | None = None, target: str | None = None, *, recipe: str | None = None,
        model: str | None = None, workers: int | None = None, memory: str | None = None, seed: int | None = None, **draft: Any,
    ):
        self.db, self.center, self.target = db, center, target
        self.common = {"workers": workers, "memory": memory, "seed": seed}
        self._notes: list[tuple[str | None, str | None, str]] = []
        self._built: tuple[str, str] | None = None
        with temporary() as self._folder:
            if recipe is not None and model is not None:
                self.recipe, self.model = recipe, model
            elif recipe is not None or model is not None:
                raise UsageError("a task has both a recipe and a model: give the two texts of an earlier task")
            elif center is None or target is None:
                raise UsageError("a task has a center and a target, such as one of these:\n" + proposals(db))
            else:
                self._draft(draft)

    def _draft(self, options: dict[str, Any]) -> None:
        if self.db.zone:
            options = {"zone": self.db.zone, **options}
        label = match.group(1, 3) if (match := TARGET.fullmatch(self.target)) else ("", "")
        with self.db.with_an_empty(*label, most=None if options.get("yes") else 3) as db:  # new cases may come later
            findings = self._drafted(db, options)
        if db is not self.db and self.pairs():
            findings, db = self._drafted(self.db, options), self.db
        self._notes = _notes(findings) + _notes(self.recipe)
        if db is not self.db:
            self._notes = [(*at, n.replace("; 1 cells are empty", "") if tuple(at) == label else n) for *at, n in self._notes]

    def _drafted(self, db: Database, options: dict[str, Any]) -> str:
        """Take the draft for a database, and return its findings."""
        out = self.path("draft")
        self.run("init", db.folder, center=self.center, target=self.target, output=out, force=True, **options)
        self.recipe, self.model = (out / "task.recipe").read_text("utf-8"), (out / "task.mln").read_text("utf-8")
        findings = out / "task.findings"
        return findings.read_text("utf-8") if findings.exists() else ""

    def path(self, name: str) -> Path:
        """Return the path of a file in the task's folder."""
        return Path(self._folder.name, name)

    @property
    def notes(self) -> Any:
        """What the draft says of each table and column, as a frame: table, column, note."""
        rows = zip(*self._notes) if self._notes else ((), (), ())
        return frame(self.db.kind, pa.table([pa.array(c, pa.string()) for c in rows], ["table", "column", "note"]))

    def run(self, command: str, *args: Any, **options: Any) -> str:
        """Run a command of the program in the task's folder, and return what it prints."""
        return run(command, *args, **options, **self.common)

    def text(self, name: str, text: str) -> Path:
        """Write a text into the task's folder."""
        at = self.path(name)
        at.write_text(text, "utf-8")
        return at

    def build(self, db: Database, to: str, recipe: str | None = None) -> Path:
        """Cut the subgraphs of a database into a stream in the task's folder."""
        at = self.path(to)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"task\.recipe:\d+:\d+: this rule of \?", ResolweWarning)  # there need be no new cases
            self.run("build", self.text("task.recipe", recipe or self.recipe), model=self.text("task.mln", self.model), data=db.folder, output=at)
        return at

    def stream(self) -> Path:
        """Return the stream of the task's own subgraphs."""
        if self._built != (self.recipe, self.model):
            self.build(self.db, "task.rsg")
            self._built = self.recipe, self.model
        return self.path("task.rsg")

    def select(self, discover: bool = True, **options: Any) -> Model:
        """Select the formulas that predict held-out cases, with weights.

        `discover` finds candidates first; otherwise they are those of `model`. The options are those of `resolwe select`, such as
        length=2, split=.8, established=True, budget="10m".
        """
        stream, at = self.stream(), self.path("selected.mln")
        said = self.run("select", self.path("task.mln"), stream=stream, output=at, json=True, discover=discover, **options)
        return Model(self, at.read_text("utf-8"), json.loads(said))

    def crossval(self, discover: bool = True, **options: Any) -> Any:
        """Cross-validate selection against baselines, and return a row for each system, with its measures.

        `discover` finds candidates first, in the training part of each fold. The options are those of `resolwe crossval`, such as
        folds=4, split=.8, systems="gain,base"; those of stages are dicts: select={"length": 2}.
        """
        stream = self.stream()
        said = json.loads(self.run("crossval", self.path("task.mln"), stream=stream, json=True, discover=discover, **options))
        systems = [{k: v for k, v in s.items() if isinstance(v, (str, int, float))} for s in said["systems"]]
        names = list(dict.fromkeys(k for s in systems for k in s))
        return frame(self.db.kind, pa.table({n: [s.get(n) for s in systems] for n in names}))

    def report(self, discover: bool = True, **options: Any) -> Report:
        """Write the page about the task; the options are those of `resolwe report`, as for `crossval`."""
        stream, at = self.stream(), self.path("report.html")
        self.run("report", self.path("task.mln"), stream=stream, output=at, discover=discover, **options)
        return Report(at.read_text("utf-8"))

    def keys(self) -> list[str]:
        """Return the columns that name a case: of its center, and of what is predicted of it."""
        match = TARGET.fullmatch(self.target or "")
        if not self.center or not match:
            return []
        column = self.center.rpartition(".")[2]
        return list(dict.fromkeys([column, match[3] if self.pairs() else match[2]]))

    def pairs(self) -> bool:
        """Report whether the target pairs centers with what is predicted of them, and no column says yes or no."""
        return re.search(r"(?m)^member\(x\) :- \S+_target\(x\)", self.recipe) is not None

    def named(self, table: pa.Table, db: Database) -> pa.Table:
        """Name the columns of cases as the tables of a database do, with the types that they have there."""
        keys = self.keys()
        if not keys or table.num_columns == 0:
            return table
        types = {**db.types(TARGET.fullmatch(self.target)[1]), **db.types(self.center.rpartition(".")[0])}
        of = ["subgraph", "arg1"] if len(keys) == 2 else ["subgraph"]
        out = {key: _typed(table[column], types.get(key)) for key, column in zip(keys, of)}
        return pa.table({**out, **{n: table[n] for n in table.column_names if n not in ("subgraph", "atom", "predicate", "arg1")}})


class Model:
    """Selected formulas with weights: `text` as the program writes them, and `result`, what `resolwe select --json` says of them."""

    def __init__(self, task: Task, text: str, result: dict[str, Any]):
        self.task, self.text, self.result = task, text, result

    @property
    def formulas(self) -> Any:
        """The formulas, as a frame: each in words and as written, whether it is established, its weight and the interval of that,
        the share of true cases with and without it, and the number of cases with it.
        """
        rows = []
        for target in self.result.get("gain") or []:
            true = target["base_rate"] * target["atoms"]
            rows.append(None)  # the base rate's formula
            for step in target["path"][: target["formulas"]]:
                n, p = step["support"], step["p"]
                rest = target["atoms"] - n
                low, high = step.get("interval") or (None, None)
                rows.append({
                    "words": step.get("words") or self._words(len(rows) + 1, step["formula"]), "formula": step["formula"],
                    "established": bool(step.get("established")), "weight": step["weight"], "low": low, "high": high,
                    "share_with": p, "share_without": round(true - n * p) / rest if rest else None, "cases": n,
                })
        columns = {
            "words": pa.string(), "formula": pa.string(), "established": pa.bool_(), "weight": pa.float64(), "low": pa.float64(),
            "high": pa.float64(), "share_with": pa.float64(), "share_without": pa.float64(), "cases": pa.int64(),
        }
        return frame(self.task.db.kind, pa.Table.from_pylist([r for r in rows if r], pa.schema(columns)))

    def _words(self, number: int, formula: str) -> str | None:
        model = self.task.text("model.mln", self.text)
        said = json.loads(self.task.run("explain", model, stream=self.task.stream(), formula=number, json=True))
        return said.get("words") if said.get("formula") == formula else None

    def predict(self, db: Database | None = None, *, labelled: bool = False, **options: Any) -> Any:
        """Return a row for each case without a label, the most probable first: its keys, probability, truth and error.

        `db` has tables like those that the task was drafted from, with new rows, or it is an Error; by default it is the task's own.
        `labelled` predicts the cases with a label too. The options are those of `resolwe infer`, such as error=.01.
        """
        db = db or self.task.db
        stream = self.task.build(db, "new.rsg", SAMPLED.sub("", self.task.recipe))
        model, at = self.task.text("model.mln", self.text), self.task.path("predicted.parquet")
        try:
            self.task.run("infer", model, stream=stream, output=at, unknown=not labelled, sort="probability", **options)
            return frame(db.kind, self.task.named(pq.read_table(at), db))
        finally:
            stream.unlink(missing_ok=True)
            at.unlink(missing_ok=True)

    def __repr__(self) -> str:
        return self.text


class Report:
    """A page, `html`, which notebooks show."""

    def __init__(self, text: str):
        self.html = text

    def save(self, path: str | os.PathLike) -> None:
        """Write the page into a file."""
        Path(path).write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:60em;border:0"></iframe>'


def proposals(db: Database) -> str:
    """List what may be predicted, as arguments of `Database.task`."""
    out = []
    for line in run("init", db.folder).splitlines():
        if not line.lstrip().startswith("resolwe init"):
            out.append(line)
            continue
        given = dict(re.findall(r"--(\w+) ('[^']*'|\S+)", line))
        out.append("    task(" + ", ".join(f'{k}="{v.strip(chr(39))}"' for k, v in given.items() if k in ("center", "target", "yes")) + ")")
    return "\n".join(out)


def _typed(column: pa.ChunkedArray, to: pa.DataType | None) -> pa.ChunkedArray:
    """Return texts as values of a type, or as they are if some are not of it."""
    if to is None:
        return column
    try:
        if pa.types.is_timestamp(to) and to.tz is None:
            column = pc.replace_substring(column, "Z", "")
        return column.cast(to.value_type if pa.types.is_dictionary(to) else to)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _notes(text: str) -> list[tuple[str | None, str | None, str]]:
    """Read the comments at the head of a draft: of all, of a table, of a column."""
    out, table = [], None
    for line in takewhile(lambda line: line.startswith("//"), text.splitlines()):
        if found := re.fullmatch(r"// (\S.*?)(?:\.[a-z0-9.]+)?: (\d+ rows?\b.*)", line):
            table = found[1]
            out.append((table, None, found[2]))
        elif found := re.fullmatch(r"//   (.+?): (.+)", line):
            out.append((table, found[1], found[2]))
        elif line.startswith("//   "):
            out.append((table, None, line[5:]))
        elif line[3:] and not line.startswith(("// Drafted by", "// Below is")):
            out.append((None, None, line[3:]))
    return out
