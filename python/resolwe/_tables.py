"""Tables: frames as Parquet files in a temporary folder, and results as frames of the caller's kind."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._program import DataError, Error, UsageError

if TYPE_CHECKING:
    from ._task import Task


class Database:
    """Tables that refer to each other.

    Either `folder` is one of CSV, TSV, JSON lines or Parquet files, as it is; or tables are given by name, as a dict where Python does
    not take the names: frames of pandas, polars or Arrow, or whatever offers Arrow's C stream. An index that has a name is a column,
    others are left out. Times that are all at midnight are dates. `zone` is that of dates, and of times that state no offset, as in
    "Europe/Berlin"; UTC by default.

    It is a UsageError if a table has no columns or two of one name, or a name cannot be that of a file; a DataError if a column holds
    values of several types, or of one that cannot be read.
    """

    def __init__(self, folder: str | os.PathLike | Mapping[str, Any] | None = None, /, *, zone: str | None = None, **tables: Any):
        if isinstance(folder, Mapping):
            tables, folder = {**folder, **tables}, None
        if (folder is None) == (not tables):
            raise UsageError("a database is a folder, or tables by name: Database('dir') or Database(orders=orders, customers=customers)")
        self.zone = zone
        self._temporary = None
        if folder is not None:
            self.folder, self.kind = Path(folder), _kind_installed()
            if not self.folder.is_dir():
                raise UsageError(f"{folder} is not a folder: name the folder of the tables")
            return
        self.kind = kind_of(next(iter(tables.values())))
        arrow = {checked(name): arrow_table(name, t) for name, t in tables.items()}
        if len({name.casefold() for name in arrow}) < len(arrow):
            raise UsageError(f"of the tables {', '.join(arrow)}, two have names that differ by case alone, which files may not")
        with temporary() as self._temporary:
            self.folder = Path(self._temporary.name)
            for name, table in arrow.items():
                self.write(name, table)

    def task(self, center: str | None = None, target: str | None = None, **options: Any) -> Task:
        """Draft a task, as `resolwe init` does; the arguments are those of `Task`."""
        from ._task import Task

        return Task(self, center, target, **options)

    def write(self, name: str, table: pa.Table) -> pa.Table:
        """Write a table into the folder, and return it as it is in the file."""
        table = _readable(name, table, self.zone)
        try:
            pq.write_table(table, self.folder / f"{name}.parquet", compression="lz4")
        except OSError as e:
            raise Error(f"table {name}: {e.strerror or e}: TMPDIR names a folder with more space") from e
        return table

    def read(self, name: str) -> pa.Table:
        """Return a table that `write` wrote."""
        return pq.read_table(self.folder / f"{name}.parquet")

    def types(self, name: str) -> dict[str, pa.DataType]:
        """Return the types of a table's columns, where its file states them."""
        file = self.folder / f"{name}.parquet"
        return {f.name: f.type for f in pq.read_schema(file)} if file.is_file() else {}

    def without(self, name: str) -> Database:
        """Return a copy without a table, in a temporary folder."""
        copy = object.__new__(Database)
        copy.zone, copy.kind = self.zone, self.kind
        with temporary() as copy._temporary:
            copy.folder = Path(copy._temporary.name)
            shutil.copytree(
                self.folder, copy.folder, copy_function=_link, dirs_exist_ok=True,
                ignore=lambda at, names: [n for n in names if Path(at) == self.folder and n.split(".")[0] == name],
            )
        return copy

    @contextmanager
    def with_an_empty(self, name: str, column: str, most: int | None) -> Iterator[Database]:
        """Offer a copy with an empty cell, of the most frequent value, in a column without any and of few values; else this one."""
        table = self.read(name) if column in self.types(name) else pa.table({column: []})
        values = table[column].combine_chunks()
        if table.num_rows == 0 or values.null_count or most and len(values.unique()) > most:
            yield self
            return
        values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        coded = values.dictionary_encode().indices
        at = pc.index(coded, pc.mode(coded)[0]["mode"]).as_py()
        emptied = pa.concat_arrays([values[:at], pa.nulls(1, values.type), values[at + 1:]])
        with self.without(name) as copy:
            copy.write(name, table.set_column(table.column_names.index(column), column, emptied))
            yield copy

    def close(self) -> None:
        """Remove the temporary folder, which otherwise goes with this value."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __deepcopy__(self, _: dict) -> Database:
        return self  # its tables do not change

    def __reduce__(self) -> tuple:
        if self._temporary is None:
            return _database, (os.fspath(self.folder), self.zone, self.kind)
        return _database, ({f.stem: pq.read_table(f) for f in self.folder.glob("*.parquet")}, self.zone, self.kind)

    def __repr__(self) -> str:
        return f"Database({', '.join(sorted(f.name for f in self.folder.iterdir()))})"


def _database(source: Any, zone: str | None, kind: str) -> Database:
    db = Database(source, zone=zone)
    db.kind = kind
    return db


@contextmanager
def temporary() -> Iterator[tempfile.TemporaryDirectory]:
    """Make a folder that goes with the value, or when Python ends; at once if the block fails, not with the traceback."""
    folder = tempfile.TemporaryDirectory(prefix="resolwe-", ignore_cleanup_errors=True)
    try:
        yield folder
    except BaseException:
        folder.cleanup()
        raise


def checked(name: str) -> str:
    """Return a table's name, if it can be that of a file."""
    if not _is_text(name) or name[0] in "._" or any(c in '/\\:*?"<>|[]{}.' or ord(c) < 32 for c in name):
        raise UsageError(f"table {name!r}: a name is of letters, digits, hyphens and underscores, and begins with neither . nor _")
    return name


def arrow_table(name: str, table: Any) -> pa.Table:
    """Return a table of any library as one of Arrow."""
    module = type(table).__module__.split(".")[0]
    if module == "pandas" and hasattr(table, "columns"):
        _distinct(name, [*table.columns, *filter(None, table.index.names)])
        return _of_pandas(name, table)
    if module == "polars" and hasattr(table, "collect"):
        table = table.collect()
    try:
        arrow = table.to_arrow() if module == "polars" else pa.table(table)
    except (pa.ArrowInvalid, TypeError, ValueError):  # a column, or no table at all
        arrow = None
    if not isinstance(arrow, pa.Table):
        given = type(table).__name__
        raise UsageError(f"table {name} is of type {given}: give a frame of pandas, polars or Arrow, such as pandas.DataFrame({name})")
    _distinct(name, arrow.column_names)
    return arrow


def _of_pandas(name: str, frame: Any) -> pa.Table:
    if any(frame.index.names):
        frame = frame.reset_index(level=[n for n in frame.index.names if n is not None])
    columns = {}
    for column in frame.columns:
        try:
            columns[column] = pa.Array.from_pandas(frame[column])
        except UnicodeEncodeError as e:
            mended = f"{name}[{column!r}].str.encode('utf-8', 'replace').str.decode()"
            raise DataError(f"{name}.{column} holds half a character: mend it, as by {mended}") from e
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as e:
            found = sorted({type(v).__name__ for v in frame[column].dropna()})
            raise DataError(
                f"{name}.{column} holds values of the types {', '.join(found)}: give it one type, as by {name}[{column!r}].astype(str)"
            ) from e
    return pa.table(columns)


def _distinct(name: str, columns: list) -> None:
    if not columns:
        raise UsageError(f"table {name} has no columns")
    for c in columns:
        if not _is_text(c):
            raise UsageError(f"table {name}: the column {c!r} has no text as its name: rename it")
        if columns.count(c) > 1:
            raise UsageError(f"table {name} has several columns {c!r}: rename all but one")


def _is_text(name: Any) -> bool:
    return isinstance(name, str) and name.strip() != "" and not any(0xD800 <= ord(c) < 0xE000 for c in name)


def _readable(name: str, table: pa.Table, zone: str | None) -> pa.Table:
    """Return a table as the program reads it: no NaN, dates where all times are midnight, moments where a zone is known."""
    out = {}
    for column in table.column_names:
        c = table[column]
        c = c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c
        t = c.type.value_type if pa.types.is_dictionary(c.type) else c.type
        if pa.types.is_floating(t):
            c = pc.if_else(pc.is_nan(c.cast(t)), None, c.cast(t))
        elif pa.types.is_timestamp(t) and t.tz is None:
            c = _days_or_moments(c.cast(t), zone)
        elif t in (pa.string_view(), pa.binary_view()):
            c = c.cast(pa.large_string())
        elif isinstance(t, pa.BaseExtensionType) or pa.types.is_interval(t) or pa.types.is_duration(t):
            raise DataError(f"{name}.{column} is of type {t}, which is not read: make it a number, a date or a text")
        out[column] = c
    return pa.table(out)


def _days_or_moments(c: pa.Array, zone: str | None) -> pa.Array:
    days = c.cast(pa.date32(), safe=False)
    if pc.all(pc.equal(days.cast(c.type), c)).as_py() is not False:
        return days
    try:
        return pc.assume_timezone(c, zone, ambiguous="earliest", nonexistent="latest") if zone else c
    except (pa.ArrowInvalid, TypeError) as e:
        raise UsageError(f"zone={zone!r} is not known: give a name such as 'Europe/Berlin'") from e


def _link(source: str, to: str) -> None:
    try:
        os.link(source, to)
    except OSError:
        shutil.copy2(source, to)


def kind_of(table: Any) -> str:
    """Return the library of a table."""
    module = type(table).__module__.split(".")[0]
    return module if module in ("pandas", "polars") else "pyarrow"


def _kind_installed() -> str:
    return next((k for k in ("pandas", "polars") if k in sys.modules or importlib.util.find_spec(k)), "pyarrow")


_FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda t: t.to_pandas(date_as_object=False),
    "polars": lambda t: importlib.import_module("polars").from_arrow(t),
    "pyarrow": lambda t: t,
}


def frame(kind: str, table: pa.Table) -> Any:
    """Return a table as a frame of a library."""
    return _FRAMES[kind](table)
