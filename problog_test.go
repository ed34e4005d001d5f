package resolwe_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// prolog writes an atom of Prolog.
func prolog(name string, args ...string) string {
	for i, a := range args {
		args[i] = "'" + strings.ReplaceAll(a, "'", `\'`) + "'"
	}
	return fmt.Sprintf("'%s'(%s).\n", name, strings.Join(args, ","))
}

// prologFacts writes what stands beside the program.
func prologFacts(m *resolwe.Model, sub *subgraph.Subgraph) string {
	var b strings.Builder
	for typ, d := range sub.Domains {
		for id := range d.Size {
			b.WriteString(prolog("type_"+m.Schema.Types[typ], d.Names.Name(uint32(id))))
		}
	}
	if sub.Center != "" {
		b.WriteString(prolog("center", sub.Center))
	}
	for pred, p := range m.Schema.Predicates {
		for _, table := range sub.Relations[pred].Tables() {
			for row := range table.Len() {
				var args []string
				for c, col := range table.Cols {
					args = append(args, sub.Domains[p.Args[c]].Names.Name(col[row]))
				}
				switch p.Role {
				case mln.RoleEvidence:
					b.WriteString(prolog(p.Name, args...))
				case mln.RoleListed:
					b.WriteString(prolog("listed_"+p.Name, args...))
				case mln.RoleTarget:
				}
			}
		}
	}
	return b.String()
}

var answer = regexp.MustCompile(`(?m)^\s*(\S.*\)):\s+([0-9.e-]+)\s*$`)

// The exported program has infer's marginals; the test needs ProbLog.
func TestExport_ProbLog(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("problog")
	if err != nil {
		t.Skip("problog is not installed")
	}
	compared := 0
	for seed := range rounds(t, 60) {
		text, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 9)), oracle.TaskOptions{
			General: true, Hard: seed%2 == 0, Subgraphs: 1, Entities: 2, Formulas: 1 + int(seed%3),
		})
		m := parse(t, text)
		var out bytes.Buffer
		err := export.Write(&out, "problog", &export.Model{Schema: m.Schema, Constants: m.Constants, Formulas: m.Formulas})
		if errors.As(err, new(*export.UnsupportedError)) {
			continue
		}
		check.OK(t, err)
		subs := subgraphs(t, m, db)
		want := map[string]float64{}
		err = inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			for i, p := range r.P {
				want[strings.ReplaceAll(r.Atom(i), " ", "")] = p
			}
			return nil
		})
		if err != nil || len(want) == 0 { // no solution, or nothing to ask for
			continue
		}
		path := filepath.Join(t.TempDir(), "model.pl")
		check.OK(t, os.WriteFile(path, []byte(out.String()+prologFacts(m, subs[0])), 0o600))
		got, err := exec.CommandContext(t.Context(), program, path).CombinedOutput()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, got, out.String())
		}
		found := map[string]float64{}
		for _, line := range answer.FindAllStringSubmatch(string(got), -1) {
			found[strings.NewReplacer("'", "", `"`, "", " ", "").Replace(line[1])], _ = strconv.ParseFloat(line[2], 64)
		}
		for atom, p := range want {
			if v := found[atom]; math.Abs(v-p) > 1e-6 { // what is impossible may be left out
				t.Errorf("seed %d: %s has %v, want %v\n%s\n%s", seed, atom, v, p, got, out.String())
			}
		}
		compared++
	}
	check.AtLeast(t, compared, 10, "programs compared")
}
