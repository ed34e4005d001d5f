"""Alarms of watch beside those of detectors of river on the losses of the same model, and of one that always cries wolf.

    pip install river
    resolwe watch MODEL --stream S.rsg --adapt none --block 10 --curve S.csv --events S.jsonl
    python compare.py --at 3000 S.csv S.jsonl

The detectors, with their defaults, get the first model's mean loss of each block. --at is the number of subgraphs before the change: what is
earlier is a false alarm, the first one later gives the delay. Without it all are false. Several runs: CSV JSONL CSV JSONL ..
"""

import argparse
import csv
import json
import statistics

from river import drift

DETECTORS = {
    "ADWIN": drift.ADWIN,
    "Page-Hinkley": drift.PageHinkley,
    "KSWIN": lambda: drift.KSWIN(seed=1),
}


def of_river(make, blocks):
    detector, alarms = make(), []
    for end, loss in blocks:
        detector.update(loss)
        if detector.drift_detected:
            alarms.append(end)
    return alarms


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--at", type=int, default=None)
    args.add_argument("files", nargs="+", metavar="CSV JSONL")
    args = args.parse_args()
    false, delays = {}, {}
    for curve, events in zip(args.files[::2], args.files[1::2]):
        with open(curve, encoding="utf-8") as f:
            rows = [(int(r["first"]) + int(r["subgraphs"]), -float(r["frozen_cll"])) for r in csv.DictReader(f) if int(r["atoms"])]
        with open(events, encoding="utf-8") as f:
            found = {"watch": [e["subgraph"] + 1 for e in map(json.loads, f) if e["event"] == "alarm"]}
        found |= {name: of_river(make, rows) for name, make in DETECTORS.items()}
        found["every 100"] = list(range(100, rows[-1][0] + 1, 100))
        for name, alarms in found.items():
            late = [a for a in alarms if args.at is not None and a > args.at]
            false.setdefault(name, []).append(len(alarms) - len(late))
            delays.setdefault(name, []).append(late[0] - args.at if late else float("inf"))
    print(f"{'':14}{'false alarms':>14}{'delay: median':>15}{'least':>8}{'most':>8}   runs: {len(args.files) // 2}")
    for name, d in delays.items():
        line = f"{name:14}{statistics.mean(false[name]):14.1f}"
        print(line if args.at is None else f"{line}{statistics.median(d):15.0f}{min(d):8.0f}{max(d):8.0f}")


if __name__ == "__main__":
    main()
