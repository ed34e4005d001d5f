package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// literal is an atom with its sign, a comparison, or a counting literal or aggregate.
type literal struct {
	name string   // with a leading ! where it is negated; the operator of a comparison, with the number of a counting literal
	args []string // the listed variables of a counting literal
	kind string   // of a counting literal or aggregate, with a leading ! where it is negated
	body []literal
}

var literalPattern = regexp.MustCompile(`(!?)\s*([A-Za-z_]\w*)\s*\(([^()]*)\)|(@?\w+)\s*(!=|=|>=|<=|<|>)\s*(@?-?[\w.]+)`)

var countingPattern = regexp.MustCompile(`(!?)\s*(#|\b(?:avg|sum|min|max|last))\s*\{([^:{}]*):([^{}]*)\}\s*(>=|<=|!=|=|<|>)\s*(-?[\d.]+)`)

// literals finds the literals of a conjunction.
func literals(text string) []literal {
	var out []literal
	for _, m := range countingPattern.FindAllStringSubmatch(text, -1) {
		out = append(out, literal{m[5] + " " + m[6], names(m[3]), m[1] + m[2], literals(m[4])})
	}
	text = countingPattern.ReplaceAllString(text, " ")
	for _, m := range literalPattern.FindAllStringSubmatch(text, -1) {
		if m[2] == "" {
			out = append(out, literal{name: m[5], args: []string{m[4], m[6]}})
			continue
		}
		out = append(out, literal{name: m[1] + m[2], args: names(m[3])})
	}
	return out
}

func names(list string) []string {
	args := strings.Split(list, ",")
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
	}
	return args
}

// variables appends the variables of literals, without those of the bodies of counting literals.
func variables(dst []string, literals []literal) []string {
	for _, l := range literals {
		for _, a := range l.args {
			if l.body == nil && a[0] >= 'a' && a[0] <= 'z' && !slices.Contains(dst, a) {
				dst = append(dst, a)
			}
		}
	}
	return dst
}

// canonical prints groups of literals in a form that does not depend on the names of variables or the order within a
// group: the least of all renamings.
func canonical(groups ...[]literal) string {
	var names []string
	for _, group := range groups {
		names = variables(names, group)
	}
	best := ""
	permute(len(names), func(order []int) {
		renamed := map[string]string{}
		for i, name := range names {
			renamed[name] = fmt.Sprint("v", order[i])
		}
		parts := make([]string, len(groups))
		for i, group := range groups {
			parts[i] = groupText(group, renamed)
		}
		if text := strings.Join(parts, " | "); best == "" || text < best {
			best = text
		}
	})
	return best
}

func groupText(group []literal, renamed map[string]string) string {
	texts := make([]string, len(group))
	for k, l := range group {
		if l.body != nil {
			texts[k] = countingText(l, renamed)
			continue
		}
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
	return strings.Join(texts, " ^ ")
}

// countingText is the least text of a counting literal over all names of its own variables.
func countingText(l literal, outer map[string]string) string {
	own := slices.DeleteFunc(variables(nil, l.body), func(v string) bool { return outer[v] != "" && !slices.Contains(l.args, v) })
	best := ""
	permute(len(own), func(order []int) {
		renamed := maps.Clone(outer)
		for i, name := range own {
			renamed[name] = fmt.Sprint("c", order[i])
		}
		var listed []string
		for _, v := range l.args {
			listed = append(listed, renamed[v])
		}
		lead := map[string]int{"#": 0, "last": 2, "avg": 1, "sum": 1, "min": 1, "max": 1}[strings.TrimPrefix(l.kind, "!")]
		slices.Sort(listed[lead:])
		text := fmt.Sprintf("%s{%s: %s} %s", l.kind, strings.Join(listed, ","), groupText(l.body, renamed), l.name)
		if best == "" || text < best {
			best = text
		}
	})
	return best
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
	if shape, rest, ok := strings.Cut(text, ": "); ok && slices.Contains([]string{"once", "log", "mean"}, shape) {
		at := max(0, strings.LastIndex(rest, " ^ ")) // the head is an atom
		return shape + ": " + canonical(literals(rest[:at]), literals(rest[at:]))
	}
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
