"""The notebook runs, shows what it says, and holds no results of a run."""

from pathlib import Path

import pytest

nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
BESIDE = Path(__file__).parents[1]


def test_shop():
    at = next(p for p in (BESIDE / "shop.ipynb", BESIDE.parent / "examples" / "shop.ipynb") if p.exists())
    notebook = nbformat.read(at, as_version=4)
    nbformat.validate(notebook)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    assert not any(c.outputs or c.execution_count for c in cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = ["".join(o.data.get("text/html", "") for o in c.outputs if "data" in o) for c in cells]
    for part, text in zip(shown[1:], ("ordered_on", "customers", "share_with", "probability", "auc_roc", "srcdoc="), strict=True):
        assert part.count("<tr") > 1 or "<iframe" in part
        assert text in part
