package origin_test

import (
	"strings"
	"testing"

	"resolwe/format/origin"
	"resolwe/internal/test/check"
)

// TestJoin adds the counts of shards; the rate is that of all that were eligible.
func TestJoin(t *testing.T) {
	t.Parallel()
	a := &origin.Origin{
		Draws:   []origin.Draw{{Target: "t", Truth: true, Stratum: "1", Eligible: 10, Kept: 10}, {Target: "t", Truth: false, Stratum: "1", Eligible: 30, Kept: 10}},
		Columns: []origin.Column{{Table: "x", Name: "a", Use: "used"}}, Trusted: []string{"x.a"},
	}
	b := &origin.Origin{
		Draws:   []origin.Draw{{Target: "t", Truth: false, Stratum: "1", Eligible: 20, Kept: 5}, {Target: "t", Truth: false, Stratum: "2", Eligible: 40, Kept: 0}, {Target: "u", Truth: true, Stratum: "", Eligible: 1, Kept: 1}},
		Columns: []origin.Column{{Table: "x", Name: "a", Use: "hidden"}, {Table: "y", Name: "a"}}, Trusted: []string{"x.a", "y"}, Drafted: true,
	}
	want := &origin.Origin{
		Draws:   []origin.Draw{{Target: "t", Truth: true, Stratum: "1", Eligible: 10, Kept: 10}, {Target: "t", Truth: false, Stratum: "1", Eligible: 50, Kept: 15}, {Target: "t", Truth: false, Stratum: "2", Eligible: 40, Kept: 0}, {Target: "u", Truth: true, Stratum: "", Eligible: 1, Kept: 1}},
		Columns: []origin.Column{{Table: "x", Name: "a", Use: "used"}, {Table: "y", Name: "a"}}, Trusted: []string{"x.a", "y"}, Drafted: true,
	}
	got := origin.Join(a, b)
	check.Equal(t, "joined", got, want)
	rate, drawn := got.Rate("t")
	check.Is(t, rate, .1, "rate of t")
	check.Is(t, drawn, true, "some of t are left out")
	rate, drawn = got.Rate("u")
	check.Is(t, rate, 1, "rate of u")
	check.Is(t, drawn, false, "some of u are left out")
	check.Equal(t, "with nothing", origin.Join(origin.Join(nil, a), nil), a)
	check.Is(t, origin.Join(nil, nil), nil, "nothing")
}

// TestOrigin_Text leaves out columns where there are too many, but no draw.
func TestOrigin_Text(t *testing.T) {
	t.Parallel()
	o := &origin.Origin{Draws: []origin.Draw{{Target: "t", Truth: true, Stratum: "", Eligible: 1, Kept: 1}}}
	for range 2000 {
		o.Columns = append(o.Columns, origin.Column{Name: strings.Repeat("c", 1000)})
	}
	text, err := o.Text()
	check.OK(t, err)
	got, err := origin.Parse(text)
	check.OK(t, err)
	check.Equal(t, "draws", got.Draws, o.Draws)
	check.Is(t, len(got.Columns), 500, "columns")
	check.Is(t, len(o.Columns), 2000, "columns of the caller")
}
