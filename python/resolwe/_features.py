"""A transformer for scikit-learn's pipelines: formulas as columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.base import BaseEstimator, TransformerMixin

from ._program import Error, UsageError
from ._tables import Database, arrow_table, frame, kind_of
from ._task import SAMPLED, TARGET, Task


class RelationalFeatures(TransformerMixin, BaseEstimator):
    """Features of the rows of a table, from the tables that it refers to.

    `fit` takes rows of the target's table without the label as X, and the label as y. It drafts a task and selects formulas on
    these rows alone: the target's table in `db` is replaced by them, so labels of other rows, such as those of a test fold, are
    not known. `transform` knows the labels of the rows of `fit`, where the horizon allows, and none of others.

    The target's table may be missing in `db`; the target's second column is the label. `options` are further ones of `Task`, such as
    {"trust": "customers.status"}, `select` those of `Task.select`, such as {"length": 2}; the others are as for `Task`.
    `candidates` takes all candidates as features, not only the formulas selected.

    After `fit`, `model_` is the model selected, or None if all candidates are taken, and `formulas_` has the formula of each feature
    by its name.
    """

    def __init__(
        self, db: Database, center: str, target: str, *, horizon: str | None = None, yes: str | None = None,
        options: dict[str, Any] | None = None, select: dict[str, Any] | None = None, candidates: bool = False,
        workers: int | None = None, memory: str | None = None, seed: int | None = None,
    ):
        self.db, self.center, self.target, self.horizon, self.yes = db, center, target, horizon, yes
        self.options, self.select, self.candidates = options, select, candidates
        self.workers, self.memory, self.seed = workers, memory, seed

    def fit(self, X: Any, y: Any) -> RelationalFeatures:  # noqa: N803, as scikit-learn has it
        """Select formulas on rows of the target's table: X without the label, which is y.

        It is a UsageError if X lacks a column of the task or has the label, or if the target has no label.
        """
        names = TARGET.fullmatch(self.target)
        if not names:
            raise UsageError(f"the target {self.target!r} is not of the form table(column, label)")
        self._table, entity, self._label = names.groups()
        rows = self._rows(X)
        if y is None or len(y) != rows.num_rows:
            raise UsageError("fit takes the label of each row of X as y")
        rows = rows.append_column(self._label, pa.array(y.tolist() if hasattr(y, "tolist") else list(y), from_pandas=True))
        self._rest, self._known = self.db.without(self._table), rows
        self._keys = list(dict.fromkeys([self.center.rpartition(".")[2], entity]))
        if missing := [k for k in self._keys if k not in rows.column_names]:
            raise UsageError(f"X has no column {missing[0]!r}: give the rows of {self._table}, without {self._label!r}")
        self._rest.write(self._table, rows)
        task = Task(
            self._rest, self.center, self.target, horizon=self.horizon, yes=self.yes, workers=self.workers, memory=self.memory,
            seed=self.seed, **(self.options or {}),
        )
        if task.pairs():
            raise UsageError(f"{self._table}.{self._label} does not say yes or no of a row, so there are no features of rows: take Task")
        self._task, self.model_ = task, None
        if self.candidates:
            found = task.path("candidates.mln")
            task.run("discover", task.path("task.mln"), stream=task.stream(), output=found, **(self.select or {}))
            self._text = found.read_text("utf-8")
        else:
            self.model_ = task.select(**(self.select or {}))
            self._text = self.model_.text
        self._training = self._features(task.stream())
        self.formulas_ = {k.decode(): v.decode() for k, v in self._training.schema.metadata.items() if k[:1] == b"f" and k[1:].isdigit()}
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the features of rows without the label: a row for each, in their order, and a column for each formula.

        It is a UsageError if `fit` was not called, or X has other columns than there.
        """
        if not hasattr(self, "_task"):
            raise UsageError("transform needs fit before it")
        rows = self._rows(X)
        if rows.column_names != self._known.column_names[:-1]:
            raise UsageError(f"X has the columns {rows.column_names}: fit had {self._known.column_names[:-1]}")
        at = {key: i for i, key in enumerate(_tuples(self._known, self._keys))}
        where, fresh = [], []
        for i, key in enumerate(_tuples(rows, self._keys)):
            if key not in at:
                at[key] = self._known.num_rows + len(fresh)
                fresh.append(i)
            where.append(at[key])
        features, keys = self._training, self._rest.read(self._table)
        if fresh:
            new = rows.take(fresh).append_column(self._label, pa.nulls(len(fresh), self._known[self._label].type))
            keys = self._rest.write(self._table, pa.concat_tables([self._known, new], promote_options="permissive"))
            try:
                features = self._features(self._task.build(self._rest, "new.rsg", SAMPLED.sub("", self._task.recipe)))
            finally:
                self._task.path("new.rsg").unlink(missing_ok=True)
                self._rest.write(self._table, self._known)
        return frame(kind_of(X), self._aligned(features, keys.take(where)))

    def fit_transform(self, X: Any, y: Any) -> Any:  # noqa: N803
        """Fit, and return the features of the same rows."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the features, f1, f2, ..; `formulas_` says what they are."""
        return np.array(list(self.formulas_), dtype=object)

    def _rows(self, X: Any) -> pa.Table:  # noqa: N803
        table = arrow_table("X", X)
        if self._label in table.column_names:
            raise UsageError(f"X holds the label {self._label!r}: drop it, it is y")
        return table

    def _features(self, stream: Any) -> pa.Table:
        at = self._task.path("features.parquet")
        self._task.run("features", self._task.text("features.mln", self._text), stream=stream, output=at)
        return pq.read_table(at)

    def _aligned(self, features: pa.Table, keys: pa.Table) -> pa.Table:
        """Return the features of the rows that have these keys."""
        names = list(self.formulas_)
        by = {key: i for i, key in enumerate(_tuples(self._task.named(features, self._rest), self._keys))}
        index = pa.array([by.get(key) for key in _tuples(keys, self._keys)], pa.int64())
        if index.null_count:
            raise Error(f"{index.null_count} of {len(index)} rows of {self._table} have no features: each needs {' and '.join(self._keys)}")
        return features.select(names).take(index)


def _tuples(table: pa.Table, keys: list[str]) -> list[tuple]:
    return list(zip(*(table[k].to_pylist() for k in keys)))
