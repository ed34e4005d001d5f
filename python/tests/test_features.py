"""Features of rows, and that no label of a test row is known."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROWS

import resolwe

pytestmark = pytest.mark.filterwarnings("ignore::resolwe.ResolweWarning")


@pytest.fixture(scope="module")
def streaks():
    """Customers with a label of their own on every day, unrelated to anything else: earlier labels tell all of later ones."""
    random = np.random.default_rng(1)
    people = [f"P{i}" for i in range(80)]
    label = dict(zip(people, random.permutation([0, 1] * 40)))
    labels = pd.DataFrame([(p, d, label[p]) for d in pd.date_range("2024-01-01", periods=6) for p in people], columns=["person", "day", "won"])
    return {"people": pd.DataFrame({"person": people, "age": random.integers(20, 60, 80)}), "labels": labels}


def transformer(tables, **options):
    return resolwe.RelationalFeatures(resolwe.Database(tables), "labels.day", "labels(person, won)", horizon="0d", select={"length": 2}, **options)


def test_no_label_of_a_test_row_is_known(streaks):
    labels = streaks["labels"]
    test = labels.person.isin([f"P{i}" for i in range(40)])
    x, y = labels.drop(columns="won"), labels.won
    flipped = labels.assign(won=np.where(test, 1 - y, y))
    seen = [transformer({**streaks, "labels": t}).fit(x[~test], y[~test]).transform(x[test]) for t in (labels, flipped)]
    pd.testing.assert_frame_equal(*seen)
    # The control: the training part's own labels are known, and tell all.
    features = transformer(streaks).fit_transform(x[~test], y[~test])
    later = (x.day[~test] > "2024-01-01").to_numpy()
    assert max(abs(np.corrcoef(features[c][later], y[~test][later])[0, 1]) for c in features if features[c][later].std() > 0) > 0.9
    assert max(abs(np.corrcoef(seen[0][c], y[test])[0, 1]) for c in seen[0] if seen[0][c].std() > 0) < 0.5


def test_cross_validation_learns_nothing_of_groups_held_out(streaks):
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline

    labels = streaks["labels"]
    pipeline = make_pipeline(transformer(streaks), LogisticRegression())
    score = cross_val_score(pipeline, labels.drop(columns="won"), labels.won, groups=labels.person, cv=GroupKFold(2), scoring="roc_auc")
    assert score.max() < 0.75  # what leaks gives 1


def test_rows_keep_their_order(labelled):
    labels = labelled["labels"].sample(frac=1, random_state=3)
    x, y = labels.drop(columns="churned"), labels.churned
    f = resolwe.RelationalFeatures(resolwe.Database(labelled), **ROWS, select={"length": 1})
    whole = f.fit(x, y).transform(x)
    assert list(f.get_feature_names_out()) == list(whole.columns) == list(f.formulas_)
    pd.testing.assert_frame_equal(f.fit_transform(x, y), whole, check_index_type=False)
    part = x.iloc[50:20:-3]
    pd.testing.assert_frame_equal(f.transform(part).reset_index(drop=True), whole.iloc[50:20:-3].reset_index(drop=True))


def test_all_candidates(labelled):
    labels = labelled["labels"]
    f = resolwe.RelationalFeatures(resolwe.Database(labelled), **ROWS, select={"length": 1}, candidates=True)
    assert f.fit_transform(labels.drop(columns="churned"), labels.churned).shape == (len(labels), len(f.formulas_))


def test_faults(labelled, frames):
    labels = labelled["labels"]
    f = resolwe.RelationalFeatures(resolwe.Database(labelled), **ROWS)
    with pytest.raises(resolwe.UsageError, match="drop it"):
        f.fit(labels, labels.churned)
    with pytest.raises(resolwe.UsageError, match="no column 'on_date'"):
        f.fit(labels[["customer_id"]], labels.churned)
    with pytest.raises(resolwe.UsageError, match="each row"):
        f.fit(labels.drop(columns="churned"), labels.churned[:3])
    with pytest.raises(resolwe.UsageError, match="needs fit"):
        resolwe.RelationalFeatures(resolwe.Database(labelled), **ROWS).transform(labels)
