"""A small shop, as files and as frames."""

import subprocess
from pathlib import Path

import pandas as pd
import pytest

import resolwe

CENTER, TARGET = "mailings.mailing_id", "responses(mailing_id, customer_id)"
ROWS = dict(center="labels.on_date", target="labels(customer_id, churned)", horizon="60d")


@pytest.fixture(scope="session")
def shop(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "shop"
    subprocess.run([resolwe.path(), "gen", "shop", "--scale", "0.1", "-o", folder], check=True, capture_output=True)
    (folder / "visits.csv").unlink()
    return folder


@pytest.fixture(scope="session")
def frames(shop) -> dict:
    tables = {f.stem: pd.read_csv(f) for f in shop.glob("*.csv")}
    for t in tables.values():
        for column in t.columns[t.columns.str.endswith("_on")]:
            t[column] = pd.to_datetime(t[column])
    return tables


@pytest.fixture(scope="session")
def labelled(frames) -> dict:
    """The shop with labels of customers on four dates: no order in the 60 days after."""
    orders, rows = frames["orders"], []
    for day in pd.to_datetime(["2024-01-31", "2024-05-31", "2024-09-30", "2025-01-31"]):
        after = orders[(orders.ordered_on > day) & (orders.ordered_on <= day + pd.Timedelta(60, "D"))]
        for c in frames["customers"].query("joined_on < @day").customer_id:
            rows.append((c, day, "no" if c in set(after.customer_id) else "yes"))
    labels = pd.DataFrame(rows, columns=["customer_id", "on_date", "churned"])
    return {k: frames[k] for k in ("customers", "orders", "returns")} | {"labels": labels}


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Whatever a test does, no temporary folder stays."""
    import gc
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    yield tmp_path / "t"
    gc.collect()
    assert list((tmp_path / "t").iterdir()) == []
