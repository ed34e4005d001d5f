package grow

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/grow"
)

// Options are the parameters of learning. The zero value of a field means its default.
type Options struct {
	Costs    grow.Costs // nil for 1 a call and 0 a fact; an infinite cost rules a call out
	Keep     float64    // share of the full MAP to keep, above 0, at most 1; .95 without Budget
	Budget   float64    // instead of Keep: share of the full cost to spend, above 0, at most 1
	Steps    int        // most steps of the order, 1 to 64; the last fetches all that is left; 10
	Formulas int        // most formulas in the model of a prefix, at least 1; 30
	Seed     uint64     // of samples, folds and the random order; 0 for 1
	Run      resolwe.Run
	Stage    func(name string) resolwe.Run // how to run each pass over the stream; nil for Run
	Warn     func(string)                  // receives warnings for the user; may be nil
}

// fill sets the defaults and checks the parameters. The error is a *resolwe.OptionError.
func (o *Options) fill() error {
	o.Steps, o.Formulas = cmp.Or(o.Steps, 10), cmp.Or(o.Formulas, 30)
	o.Seed = cmp.Or(o.Seed, 1)
	if o.Keep == 0 && o.Budget == 0 {
		o.Keep = .95
	}
	if o.Stage == nil {
		o.Stage = func(string) resolwe.Run { return o.Run }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	for _, check := range []struct {
		option, reason string
		ok             bool
	}{
		{"Keep", "above 0, at most 1", o.Keep >= 0 && o.Keep <= 1},
		{"Budget", "above 0, at most 1, without Keep", o.Budget >= 0 && o.Budget <= 1 && (o.Keep == 0 || o.Budget == 0)},
		{"Steps", "1 to 64", o.Steps >= 1 && o.Steps <= mostSteps},
		{"Formulas", "at least 1", o.Formulas >= 1},
	} {
		if !check.ok {
			return &resolwe.OptionError{Option: "grow.Options." + check.option, Reason: check.reason}
		}
	}
	return nil
}

// mostSteps is the largest value of Options.Steps.
const mostSteps = 64

// CostError reports an invalid line of costs.
type CostError struct {
	Path   string
	Line   int
	Reason string
}

// Error gives the line and the reason.
func (e *CostError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason) }

// IsUsage reports that the user must change the file.
func (*CostError) IsUsage() bool { return true }

// ParseCosts parses costs. A line gives a relation or one of its patterns, then the cost of a call and of each fact, or never:
//
//	friends 2 .1          # every call, and each fact that it returns
//	bought(+, -) 5        # of a customer; a fact costs nothing
//	bought(-, +) never    # of a product: the store cannot tell
//
// Later lines override earlier ones; relations without a line cost 1 and 0. The path is used in errors, which are of type *CostError.
func ParseCosts(schema *mln.Schema, path, text string) (grow.Costs, error) {
	costs := grow.UnitCosts(schema)
	number := 0
	for line := range strings.Lines(text) {
		number++
		fail := func(format string, args ...any) (grow.Costs, error) { //nolint:unparam // as ParseCosts
			return nil, &CostError{path, number, fmt.Sprintf(format, args...)}
		}
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, rest, patterned := line, "", strings.Contains(line, "(")
		var pattern []string
		if patterned {
			name, rest, _ = strings.Cut(line, "(")
			inside, after, closed := strings.Cut(rest, ")")
			if !closed {
				return fail("a pattern ends with )")
			}
			for p := range strings.SplitSeq(inside, ",") {
				pattern = append(pattern, strings.TrimSpace(p))
			}
			rest = after
		} else if at := strings.IndexAny(line, " \t"); at >= 0 {
			name, rest = line[:at], line[at:]
		}
		pred := schema.Predicate(strings.TrimSpace(name))
		switch {
		case pred < 0:
			return fail("the task has no predicate %s", strings.TrimSpace(name))
		case schema.Predicates[pred].Role.IsTarget():
			return fail("%s is a target, and is not looked up", name)
		case patterned && len(pattern) != len(costs[pred]):
			return fail("%s has %d arguments", name, len(costs[pred]))
		}
		cost, err := parseCost(strings.Fields(rest))
		if err != nil {
			return fail("%v", err)
		}
		bound := 0
		for at := range costs[pred] {
			if !patterned || pattern[at] == grow.Known {
				costs[pred][at] = cost
				bound++
			} else if pattern[at] != "-" {
				return fail("a pattern has + and -, not %q", pattern[at])
			}
		}
		if patterned && bound != 1 {
			return fail("a pattern binds one argument, by a +")
		}
	}
	return costs, nil
}

// parseCost parses the cost of a call and of a fact.
func parseCost(fields []string) (c grow.Cost, err error) {
	if len(fields) == 1 && fields[0] == "never" {
		return grow.Cost{Call: math.Inf(1)}, nil
	}
	if len(fields) < 1 || len(fields) > 2 {
		return c, errors.New("the cost of a call, and that of a fact, are expected, or never")
	}
	for i, to := range []*float64{&c.Call, &c.Fact}[:len(fields)] {
		if *to, err = strconv.ParseFloat(fields[i], 64); err != nil || !(*to >= 0 && *to <= 1e12) {
			return c, fmt.Errorf("%s is not a cost, 0 to 1e12", fields[i])
		}
	}
	return c, nil
}
