"""What goes wrong is an exception that says what to do, and no temporary folder stays."""

import datetime as dt
import os
import signal
import subprocess
import sys
import threading
import time
import zoneinfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROWS

import resolwe

T = pd.DataFrame({"id": [1, 2], "x": ["a", "b"]})


@pytest.mark.parametrize(("make", "error", "text"), [
    (lambda: resolwe.Database(), resolwe.UsageError, "is a folder, or tables by name"),
    (lambda: resolwe.Database("no such folder"), resolwe.UsageError, "is not a folder"),
    (lambda: resolwe.Database(t=[1, 2]), resolwe.UsageError, "give a frame"),
    (lambda: resolwe.Database(t=pd.DataFrame()), resolwe.UsageError, "has no columns"),
    (lambda: resolwe.Database(t=pl.DataFrame()), resolwe.UsageError, "has no columns"),
    (lambda: resolwe.Database(t=pd.DataFrame([[1, 2]], columns=["a", "a"])), resolwe.UsageError, "rename all but one"),
    (lambda: resolwe.Database(t=pa.table([[1], [2]], ["a", "a"])), resolwe.UsageError, "rename all but one"),
    (lambda: resolwe.Database(t=pd.DataFrame([[1, 2]])), resolwe.UsageError, "rename it"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": [1, "x"]})), resolwe.DataError, r"t\.a holds values of the types int, str.*astype"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": [object()]})), resolwe.DataError, "types object"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": pd.to_timedelta([1, 2], "D")})), resolwe.DataError, "make it a number"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="Y")})), resolwe.DataError, "make it a number"),
    (lambda: resolwe.Database({"../t": T}), resolwe.UsageError, "a name is of letters"),
    (lambda: resolwe.Database({"": T}), resolwe.UsageError, "a name is of letters"),
    (lambda: resolwe.Database({"x\ud800": T}), resolwe.UsageError, "a name is of letters"),
    (lambda: resolwe.Database(t=T, T=T), resolwe.UsageError, "differ by case alone"),
    (lambda: resolwe.Database(t=T.x), resolwe.UsageError, "of type Series: give a frame"),
    (lambda: resolwe.Database(t=pl.Series([1])), resolwe.UsageError, "of type Series: give a frame"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": pd.Series(["x\ud800"], dtype=object)})), resolwe.DataError, r"t\.a holds half a character"),
    (lambda: resolwe.Database(t=pd.DataFrame([[1]], columns=pd.Index(["x\ud800"], dtype=object))), resolwe.UsageError, "rename it"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": [2**70]})), resolwe.DataError, r"t\.a holds values"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": [1j]})), resolwe.DataError, "types complex"),
    (lambda: resolwe.Database(t=pd.DataFrame({"a": [pd.Timestamp("2024-01-01 10:00")]}), zone="Nowhere"), resolwe.UsageError, "Europe/Berlin"),
    (lambda: resolwe.Database(t=pd.DataFrame([[1]], columns=[("a", "b")])), resolwe.UsageError, "rename it"),
], ids=range(24))
def test_tables(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(("change", "options", "text"), [
    ({}, {"center": "labels.nothing"}, "no column"),
    ({}, {"center": "nothing.at_all"}, "nothing"),
    ({}, {"target": "labels(customer_id, nothing)"}, "no column"),
    ({}, {"target": "labels"}, "target"),
    ({}, {"center": None}, "such as one of these"),
    ({}, {"center": "labels.customer_id"}, "take labels.on_date"),
    ({}, {"horizon": "soon"}, "horizon="),
    ({}, {"yes_": "x"}, "unknown flag|yes="),
    ({}, {"recipe": "center"}, "both a recipe and a model"),
    ({"labels": lambda t: t.iloc[:0]}, {}, "rows"),
    ({"labels": lambda t: t.assign(churned="yes")}, {}, "."),
], ids=range(11))
def test_drafts(labelled, change, options, text):
    tables = {k: change.get(k, lambda t: t)(t) for k, t in labelled.items()}
    with pytest.raises(resolwe.Error, match=text) as raised:
        resolwe.Database(tables).task(**{**ROWS, **options}).select(length=1)
    assert "resolwe-" not in str(raised.value)


def test_statuses(labelled):
    task = resolwe.Database(labelled).task(**ROWS)
    with pytest.raises(resolwe.UsageError, match="lenght=") as raised:
        task.select(lenght=1)
    assert raised.value.status == 2
    task.recipe = "center"
    with pytest.raises(resolwe.UsageError, match="line 1|1:"):
        task.select()
    task = resolwe.Database(labelled).task(**ROWS)
    task.stream().write_bytes(b"no stream")
    with pytest.raises(resolwe.DataError):
        task.select()
    with pytest.raises(resolwe.OutOfMemory):
        resolwe.Database(labelled).task(**ROWS, memory="16MiB").select()


@pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")
def test_odd_names(labelled):
    """Keywords, blanks and other alphabets are names like any others."""
    names = {"customers": "table", "orders": "naročila", "returns": "center by", "labels": "target"}
    tables = {names[k]: t.rename(columns={"channel": "канал", "city": "from where"}) for k, t in labelled.items()}
    model = resolwe.Database(tables).task(center="target.on_date", target="target(customer_id, churned)", horizon="60d").select(length=1)
    plain = resolwe.Database(labelled).task(**ROWS).select(length=1)
    assert list(model.formulas.weight) == pytest.approx(list(plain.formulas.weight), rel=0.2)


def test_types(tmp_path):
    """Values are those of a file: moments of several zones, categories, decimals, empty cells, an index with a name."""
    at = [dt.datetime(2024, 3, 1, 0, 30, tzinfo=zoneinfo.ZoneInfo(z)) for z in ("Europe/Helsinki", "UTC")]
    t = pd.DataFrame({
        "at": pd.Series(at, dtype=object), "day": pd.to_datetime(["2024-03-01", None]), "kind": pd.Categorical(["a", None]),
        "price": pd.Series([pa.scalar(1).as_py(), None], dtype="Int64"), "x": [0.5, float("nan")], "key": ["k1", "k2"],
    }).set_index("key")
    db = resolwe.Database(t=t)
    read = db.read("t").to_pydict()
    assert read["key"] == ["k1", "k2"]
    assert [v.astimezone(dt.timezone.utc).isoformat() for v in read["at"]] == ["2024-02-29T22:30:00+00:00", "2024-03-01T00:30:00+00:00"]
    assert read["day"] == [dt.date(2024, 3, 1), None]
    assert (read["kind"], read["price"], read["x"]) == (["a", None], [1, None], [0.5, None])
    local = resolwe.Database(t=pd.DataFrame({"at": pd.to_datetime(["2024-03-01 00:30"])}), zone="Europe/Helsinki").read("t")["at"][0].as_py()
    assert local.astimezone(dt.timezone.utc).isoformat() == "2024-02-29T22:30:00+00:00"


def test_interrupted_and_killed(labelled, monkeypatch, tmp_path):
    """Ctrl-C ends the program too; a killed program is an error that says so."""
    pids = []
    start = subprocess.Popen.__init__

    def started(self, *args, **kwargs):
        start(self, *args, **kwargs)
        pids.append(self.pid)

    monkeypatch.setattr(subprocess.Popen, "__init__", started)
    task = resolwe.Database(labelled).task(**ROWS)
    task.stream()
    for process, wanted in ((os.getpid, KeyboardInterrupt), (lambda: pids[-1], resolwe.Error)):
        began = len(pids)

        def strike(began=began, process=process, wanted=wanted):
            while len(pids) == began:
                time.sleep(0.01)
            time.sleep(0.2)
            os.kill(process(), signal.SIGINT if wanted is KeyboardInterrupt else signal.SIGKILL)

        thread = threading.Thread(target=strike)
        thread.start()
        with pytest.raises(wanted) as raised:
            task.select(length=3)
        thread.join()
        with pytest.raises(ProcessLookupError):
            os.kill(pids[-1], 0)
    assert "SIGKILL" in str(raised.value)
    assert raised.value.status == -9


@pytest.mark.skipif(sys.platform != "linux", reason="limits of files are Linux's")
def test_no_space(temporary):
    """A file that cannot be written whole is an error, and nothing stays."""
    code = f"""
import resource, signal, tempfile
import numpy as np, pandas as pd, resolwe
tempfile.tempdir = {str(temporary)!r}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
try:
    resolwe.Database(t=pd.DataFrame({{"x": np.random.default_rng(1).random(10000)}}))
except resolwe.Error as e:
    print(e)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "table t: " in said
    assert "TMPDIR" in said


def test_missing_program(monkeypatch, tmp_path):
    monkeypatch.setenv("RESOLWE_PROGRAM", str(tmp_path / "none"))
    with pytest.raises(resolwe.Error, match="cannot start"):
        resolwe.Database(t=T).task("t.id", "t(id, x)")


def test_copies(labelled):
    """A database goes to other processes by value, and a copy is the same one."""
    import copy
    import pickle

    db = resolwe.Database(labelled)
    assert copy.deepcopy(db) is db
    other = pickle.loads(pickle.dumps(db))
    assert other.folder != db.folder
    assert other.read("labels").equals(db.read("labels"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=lambda s: s.name)
def test_ended_with_python(how, tmp_path):
    """The program ends with the process that started it, however that ends."""
    code = """
import subprocess, resolwe
start = subprocess.Popen.__init__
def started(self, *args, **kwargs):
    start(self, *args, **kwargs)
    print(self.pid, flush=True)
subprocess.Popen.__init__ = started
resolwe._program.run("demo", subgraphs=1_000_000)
"""
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env) as python:
        program = int(python.stdout.readline())
        time.sleep(0.5)
        assert alive(program)
        python.send_signal(how)
    try:
        for _ in range(200):
            if not alive(program):
                return
            time.sleep(0.1)
        pytest.fail("the program still runs after 20 s")
    finally:
        if alive(program):
            os.kill(program, signal.SIGKILL)


def alive(pid):
    """Report whether a process runs; one that nobody waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
