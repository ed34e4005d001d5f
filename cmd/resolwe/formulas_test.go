package main_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// literal is an atom with its sign, or a comparison.
type literal struct {
	name string // with a leading ! where it is negated; the operator of a comparison
	args []string
}

var literalPattern = regexp.MustCompile(`(!?)\s*([A-Za-z_]\w*)\s*\(([^()]*)\)|(@?\w+)\s*(!=|=)\s*(@?\w+)`)

// literals finds the literals of a conjunction.
func literals(text string) []literal {
	var out []literal
	for _, m := range literalPattern.FindAllStringSubmatch(text, -1) {
		if m[2] == "" {
			out = append(out, literal{m[5], []string{m[4], m[6]}})
			continue
		}
		args := strings.Split(m[3], ",")
		for i := range args {
			args[i] = strings.TrimSpace(args[i])
		}
		out = append(out, literal{m[1] + m[2], args})
	}
	return out
}

// canonical prints groups of literals in a form that does not depend on the names of variables or the order within a
// group: the least of all renamings.
func canonical(groups ...[]literal) string {
	var names []string
	for _, group := range groups {
		for _, l := range group {
			for _, a := range l.args {
				if a[0] >= 'a' && a[0] <= 'z' && !slices.Contains(names, a) {
					names = append(names, a)
				}
			}
		}
	}
	best := ""
	permute(len(names), func(order []int) {
		renamed := map[string]string{}
		for i, name := range names {
			renamed[name] = fmt.Sprint("v", order[i])
		}
		if text := groupsText(groups, renamed); best == "" || text < best {
			best = text
		}
	})
	return best
}

func groupsText(groups [][]literal, renamed map[string]string) string {
	parts := make([]string, len(groups))
	for i, group := range groups {
		texts := make([]string, len(group))
		for k, l := range group {
			args := slices.Clone(l.args)
			for j, a := range args {
				if v, ok := renamed[a]; ok {
					args[j] = v
				}
			}
			if l.name == "=" || l.name == "!=" {
				slices.Sort(args)
			}
			texts[k] = l.name + "(" + strings.Join(args, ",") + ")"
		}
		slices.Sort(texts)
		parts[i] = strings.Join(texts, " ^ ")
	}
	return strings.Join(parts, " | ")
}

// permute calls visit with each order of 0 to n-1.
func permute(n int, visit func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var rec func(int)
	rec = func(k int) {
		if k == n {
			visit(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			rec(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	rec(0)
}

// asFormula is the canonical form of a conjunction or implication; sep stands between body and head.
func asFormula(text, sep string) string {
	var groups [][]literal
	for part := range strings.SplitSeq(strings.TrimRight(text, ". "), sep) {
		groups = append(groups, literals(part))
	}
	return canonical(groups...)
}

// asFormulas is asFormula of several, sorted.
func asFormulas(texts []string, sep string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = asFormula(text, sep)
	}
	slices.Sort(out)
	return out
}

// asCandidate is the canonical form of a candidate: its selector and its enforcer.
func asCandidate(text string, targets []string) string {
	var e, q []literal
	for _, l := range literals(text) {
		if slices.Contains(targets, strings.TrimPrefix(l.name, "!")) {
			q = append(q, l)
		} else {
			e = append(e, l)
		}
	}
	return canonical(e, q)
}
