"""Figures equal those of the command line."""

import json
import os
import re
import subprocess
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from conftest import CENTER, ROWS, TARGET

import resolwe


def cli(*args, cwd):
    return subprocess.run([resolwe.path(), *map(str, args)], check=True, capture_output=True, cwd=cwd, text=True).stdout


@pytest.fixture(scope="module")
def printed(shop, tmp_path_factory):
    """What the command line says of the folder of files."""
    at = tmp_path_factory.mktemp("printed")
    cli("init", shop, "--center", CENTER, "--target", TARGET, "-o", ".", cwd=at)
    cli("build", "task.recipe", "--model", "task.mln", "--data", shop, "-o", "task.rsg", cwd=at)
    said = cli("select", "task.mln", "--stream", "task.rsg", "--discover", "--length", 1, "--json", "-o", "model.mln", cwd=at)
    cli("infer", "model.mln", "--stream", "task.rsg", "--sort", "probability", "-o", "p.parquet", cwd=at)
    return at, json.loads(said), pq.read_table(at / "p.parquet").to_pandas()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "folder"])
@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_same_figures(kind, shop, frames, printed):
    at, said, marginals = printed
    given = {
        "pandas": frames, "polars": {k: pl.from_pandas(t) for k, t in frames.items()},
        "arrow": {k: pl.from_pandas(t).to_arrow() for k, t in frames.items()}, "folder": shop,
    }[kind]
    task = resolwe.Database(given).task(CENTER, TARGET, workers=1)
    model = task.select(length=1)
    assert model.text == (at / "model.mln").read_text()
    assert model.result == said
    predicted = model.predict(labelled=True)
    assert type(predicted).__module__.split(".")[0] == {"polars": "polars", "arrow": "pyarrow"}.get(kind, "pandas")
    predicted = pd.DataFrame({c: list(predicted[c]) for c in ("mailing_id", "customer_id", "probability")}).map(lambda v: v.as_py() if hasattr(v, "as_py") else v)
    assert predicted.values.tolist() == marginals[["subgraph", "arg1", "probability"]].values.tolist()


@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_formulas(shop, printed):
    at, said, _ = printed
    model = resolwe.Database(shop).task(CENTER, TARGET).select(length=1)
    target = said["gain"][0]
    steps = target["path"][: target["formulas"]]
    assert list(model.formulas.formula) == [s["formula"] for s in steps]
    assert len(steps) > 0
    cli("features", "model.mln", "--stream", "task.rsg", "-o", "f.parquet", cwd=at)
    features = pq.read_table(at / "f.parquet").to_pandas()
    counted = 0
    for n, (_, row) in enumerate(model.formulas.iterrows(), 2):
        assert row.words == json.loads(cli("explain", "model.mln", "--stream", "task.rsg", "--formula", n, "--json", cwd=at))["words"]
        if row.formula.startswith("rank"):  # its column is the rank, which may be 0 where there is a number
            continue
        holds, counted = features[f"f{n}"] != 0, counted + 1
        assert row.cases == holds.sum()
        assert row.share_with == features.truth[holds].mean()
        assert row.share_without == features.truth[~holds].mean() or holds.all()
    assert counted > 0


@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_crossval_and_report(labelled):
    task = resolwe.Database(labelled).task(**ROWS)
    options = dict(systems="gain,base", split=0.75, select={"length": 1})
    figures = task.crossval(**options)
    said = json.loads(cli(
        "crossval", task.path("task.mln"), "--stream", task.stream(), "--discover", "--json", "--systems", "gain,base", "--split", ".75",
        "--select", "--length 1", cwd=".",
    ))
    assert figures.set_index("name").auc_roc_pooled.to_dict() == {s["name"]: s["auc_roc_pooled"] for s in said["systems"]}
    page = task.report(**options)
    assert page.html.lstrip().lower().startswith("<!doctype html>")
    assert page._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_new_cases(labelled):
    task = resolwe.Database(labelled).task(**ROWS)
    assert not task.pairs()
    assert set(task.notes.table.dropna()) == set(labelled)
    labels = task.notes.query("table == 'labels' and column == 'churned'").note
    assert list(labels) == ["yes or no (yes or no)"]
    model = task.select(length=1)
    assert len(model.predict()) == 0
    new = pd.DataFrame({"customer_id": labelled["customers"].customer_id[:9], "on_date": pd.Timestamp("2025-05-31"), "churned": None})
    predicted = model.predict(resolwe.Database({**labelled, "labels": pd.concat([labelled["labels"], new])}))
    assert sorted(predicted.customer_id) == sorted(new.customer_id)
    assert (predicted.on_date == new.on_date[0]).all()
    assert predicted.probability.is_monotonic_decreasing
    assert predicted.truth.isna().all()


@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_edited_texts(labelled):
    db = resolwe.Database(labelled)
    task = db.task(**ROWS)
    first = task.stream().stat().st_size
    task.recipe = "\n".join(line for line in task.recipe.splitlines() if not line.startswith("customers_city("))
    assert task.stream().stat().st_size < first
    again = db.task(recipe=task.recipe, model=task.model)
    assert again.stream().read_bytes() == task.stream().read_bytes()


def test_page(shop, tmp_path, monkeypatch):
    """The example of the page runs."""
    page = next(p for p in (Path(__file__).parents[1] / "python.md", Path(__file__).parents[2] / "docs" / "python.md") if p.exists())
    os.symlink(shop, tmp_path / "shop")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(resolwe.ResolweWarning):
        exec(re.search(r"```python\n(.*?)```", page.read_text(), re.S)[1], {})


def test_new_cases_of_a_label_of_many_texts(labelled):
    labels = labelled["labels"].assign(churned=[f"s{i % 5}" for i in range(len(labelled["labels"]))])
    assert "optional churned" in resolwe.Database({**labelled, "labels": labels}).task(**ROWS, yes="s1").recipe
