"""Relational features and predictions with reasons, from linked tables.

The package carries the program resolwe and runs it: every figure is the one that the command line prints.

>>> import resolwe
>>> db = resolwe.Database(orders=orders, customers=customers, labels=labels)
>>> task = db.task(center="labels.on_date", target="labels(customer_id, churned)", horizon="60d")
>>> model = task.select()
>>> model.formulas, model.predict()
"""

from ._program import DataError, Error, Interrupted, OutOfMemory, ResolweWarning, UsageError, path
from ._tables import Database
from ._task import Model, Report, Task

__all__ = [
    "DataError", "Database", "Error", "Interrupted", "Model", "OutOfMemory", "RelationalFeatures", "Report",
    "ResolweWarning", "Task", "UsageError", "path",
]


def __getattr__(name: str):
    if name == "RelationalFeatures":  # imports scikit-learn, if that is installed, only when asked for
        from ._features import RelationalFeatures

        return RelationalFeatures
    raise AttributeError(f"module 'resolwe' has no attribute {name!r}")
