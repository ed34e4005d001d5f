package mln_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// FuzzParse checks that no text makes Parse panic, that its errors are of the package, and that what parses prints as
// a text that parses to the same.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.mln"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			check.OK(f, err)
			f.Add(src, false)
		}
	}
	f.Add([]byte("t = {1, ..., 3, \"a \\\" b\", x}\np(t)\nv = x ^ p(v) v p(x)\n2 p(+x) <=> EXIST v p(v)\n"), true)
	f.Add([]byte("p(t)\ntemplate T(x, y) extend 2 = q(x, y) ^ x != y | [q|r](y, x)\nq(t, t)\nr(t, t)\nT(@center, \"\") ^ p(x)."), true)
	f.Add([]byte("r(t, t)\ne(t)\nage(t, number)\ntarget q(t)\nnumber = {1, -2.50}\ntemplate T(x) = #{y: r(x, y) ^ e(y)} > 2 | e(x) ^ !#{y: r(y, x)} = 1\n"+
		"T(x) ^ q(x)\n#{y, n: r(x, y) ^ age(y, n) ^ n >= -1.5e3} <= 3 ^ x != z ^ e(z) => q(x)\n2 age(x, n) ^ !(n < 30) ^ n != 007 ^ 3 > n ^ q(x)\n"), false)
	f.Add([]byte("r(t, t)\ntarget q(t)\n1 #{y: r(x, y) ^ r(y, z)} >= 1 => q(x)\n(EXIST y r(x, y) ^ #{z: r(z, y)} < 1) v q(x).\n"), true)
	f.Add([]byte("r(t, t)\ne(t)\ntarget q(t)\ntemplate T(x, y) extend 2 = r(x, y) | #{z: r(x, z) ^ e(z)} >= 2 ^ r(y, x)\n0.8 log: T(x, y) ^ q(x)\n"+
		"-1e-3 mean: q(y) => (r(x, y) ^ x != y => !q(x))\n2 once: e(x) ^ !#{y: r(x, y)} = 3 ^ q(x)\n"), false)
	f.Add([]byte("number p, s\nr(t, p, s)\navg(t)\ntarget q(t)\np = {-2.5}\ntemplate T(x) = avg{n: r(x, n, m)} > 2 | !last{n, m: r(x, n, m) ^ m < 3} != -1e-3\n"+
		"T(x) ^ q(x)\n2 log: !!sum{n, m: r(x, n, m)} <= 3 ^ avg(x) ^ q(x)\nmax{n: r(x, n, y) ^ n != 007} = 0 v (EXIST y min{y, n: r(x, y, n)} < 1) v q(x).\n"), true)
	f.Fuzz(func(t *testing.T, src []byte, cnf bool) {
		opt := mln.Options{CNF: cnf}
		m, err := mln.Parse("f.mln", src, opt)
		if err != nil {
			if _, ok := errors.AsType[mln.Error](err); !ok {
				t.Fatalf("got %T, want an Error", err)
			}
			_ = err.Error()
			return
		}
		_, _, _ = mln.Candidates(m)
		if cnf { // what only comparisons mention in a clause has its type from the others
			return
		}
		again, err := mln.Parse("f.mln", []byte(printed(m)), opt)
		check.OKf(t, err, "printed as\n%s\n", printed(m))
		check.MustEqual(t, "printed", printed(again), printed(m))
	})
}
