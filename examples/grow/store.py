"""Answers the look-ups of `resolwe grow run` from an SQLite database with a table for each relation: the center, then a column a1, a2, .. for
each argument. `store.py DB --load FACTS.db` fills one from facts as `resolwe inspect --subgraph` prints them."""
import ast, json, re, sqlite3, sys

db = sqlite3.connect(sys.argv[1])
argument = re.compile(r'(?:^|,)\s*(?:("(?:[^"\\]|\\.)*")|([^,]*))')
if sys.argv[2:3] == ["--load"]:
    center = None
    for line in open(sys.argv[3], encoding="utf-8"):
        if line.startswith("@subgraph"):
            center = re.search(r"center=(\w+)", line).group(1)
        elif m := re.match(r"(\w+)\((.*)\)$", line.strip()):
            args = [ast.literal_eval(quoted) if quoted else plain.strip() for quoted, plain in argument.findall(m[2])]
            columns = "".join(f", a{i + 1}" for i in range(len(args)))
            db.execute(f"create table if not exists {m[1]} (center{columns})")
            db.execute(f"insert into {m[1]} values (?{', ?' * len(args)})", [center, *args])
    db.commit()
    sys.exit()
tables = {name for name, in db.execute("select name from sqlite_master")}
calls = 0
for line in sys.stdin:
    for look in json.loads(line)["lookups"]:
        at = next(i for i, a in enumerate(look["args"]) if a is not None)
        query = f"select * from {look['relation']} where center = ? and a{at + 1} = ?"
        rows = db.execute(query, (look["center"], look["args"][at])) if look["relation"] in tables else []
        print(json.dumps({"id": look["id"], "facts": [[look["relation"], *row[1:]] for row in rows]}))
        calls += 1
    sys.stdout.flush()
print(calls, "calls", file=sys.stderr)
