"""Counts in databases what resolwe counts, the true groundings of each formula, by the queries that `resolwe export --to sql` writes.

    resolwe pack MODEL DATA -o S.rsg
    python3 bench/peers.py MODEL S.rsg

It takes the first subgraphs of the stream, in a database each, with an index for every column. SQLite comes with Python; DuckDB is asked where
the module duckdb is, PostgreSQL where psycopg is and DATABASE_URL names a database. A count that differs ends it. The time of resolwe is the
least of five runs of the whole process on one worker; a query that takes longer than --limit counts as so much.
"""

import argparse
import json
import math
import os
import re
import sqlite3
import subprocess
import tempfile
import threading
import time

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,()"]+')


def words(text):
    return [re.sub(r"\\(.)", r"\1", t[1:-1]) if t[0] == '"' else t for t in TOKEN.findall(text)]


def resolwe(*args):
    return subprocess.run(["resolwe", *args], check=True, capture_output=True, text=True).stdout


def rows_of(facts, targets):
    """Yields the table and the row of each line of facts."""
    for line in facts.splitlines():
        if line.startswith("@subgraph"):
            if center := re.search(r' center=("(?:[^"\\]|\\.)*"|\S+)', line):
                yield "center", words(center[1])
        elif line.startswith("@entity"):
            _, typ, *names = words(line)
            yield from (("domain_" + typ, [name]) for name in names)
        elif line:
            name, *args = words(line.lstrip("!?"))
            yield name, args + [{"!": 0, "?": None}.get(line[0], 1)] if name in targets else args


def sqlite():
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.create_function("ln", 1, math.log, deterministic=True)
    return db, "?", db.interrupt


def duck():
    import duckdb

    db = duckdb.connect()
    db.execute("SET threads = 1")
    return db, "?", db.interrupt


def postgres():
    import psycopg

    db = psycopg.connect(os.environ["DATABASE_URL"])
    db.execute("SET search_path TO pg_temp")  # where the tables go, which end with the connection
    return db, "%s", db.cancel


def count(db, interrupt, query, limit):
    """Returns a count and its seconds; none, and the limit, if it takes longer."""
    timer, began = threading.Timer(limit, interrupt), time.perf_counter()
    timer.start()
    try:
        (n,) = db.execute(query).fetchone()
    except Exception:
        if time.perf_counter() - began < limit:
            raise
        return None, limit
    finally:
        timer.cancel()
    return n, time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("stream")
    parser.add_argument("--subgraphs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60)
    args = parser.parse_args()
    tables, *queries = [re.sub(r"(?m)^-- .*\n", "", p) for p in resolwe("export", args.model, "--to", "sql").split("\n\n")]
    targets = set(re.findall(r'CREATE TABLE "([^"]+)" \([^;]*truth INTEGER', tables))
    names = [s["subgraph"] for s in json.loads(resolwe("counts", args.model, "--stream", args.stream, "--json"))][: args.subgraphs]
    texts = [resolwe("inspect", args.stream, "--subgraph", name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        text, first = os.path.join(folder, "first.db"), os.path.join(folder, "first.rsg")
        with open(text, "w") as f:
            f.writelines(texts)
        resolwe("pack", args.model, text, "-o", first)
        best = math.inf
        for _ in range(5):
            began = time.perf_counter()
            want = json.loads(resolwe("counts", args.model, "--stream", first, "--json", "--workers", "1"))
            best = min(best, time.perf_counter() - began)
    print(f"{len(queries)} formulas on {len(names)} subgraphs; resolwe takes {best:.4f} s\n")
    print("| database | loading | counting | times resolwe | unfinished |\n|---|---|---|---|---|")
    for make in sqlite, duck, postgres:
        loading = counting = unfinished = 0
        for facts, counts in zip(texts, want):
            try:
                db, mark, interrupt = make()
            except (ImportError, KeyError) as absent:
                print(f"| {make.__name__} | not here: {absent} | | | |")
                break
            began, batches = time.perf_counter(), {}
            for table, row in rows_of(facts, targets):
                batches.setdefault(table, []).append(row)
            for statement in filter(str.strip, tables.split(";")):
                db.execute(statement)
            for table, rows in batches.items():
                db.cursor().executemany(f'INSERT INTO "{table}" VALUES ({", ".join([mark] * len(rows[0]))})', rows)
            for table, columns in re.findall(r'CREATE TABLE "([^"]+)" \((.*)', tables):
                for column in re.findall(r"\ba(?!1\b)\d+(?= TEXT)", columns):
                    db.execute(f'CREATE INDEX "{table}_{column}" ON "{table}" ({column})')
            db.execute("ANALYZE")
            loading += time.perf_counter() - began
            for query, right in zip(queries, counts["counts"]):
                n, took = count(db, interrupt, query, args.limit)
                counting += took
                unfinished += n is None
                if n is not None and not math.isclose(n, right, rel_tol=1e-9):
                    raise SystemExit(f"{make.__name__} counts {n}, resolwe {right}:\n{query}")
            db.close()
        else:
            print(f"| {make.__name__} | {loading:.1f} s | {counting:.2f} s | {counting / best:.0f} | {unfinished} |")


if __name__ == "__main__":
    main()
