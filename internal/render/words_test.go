package render_test

import (
	"strings"
	"testing"

	"resolwe"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

// Each formula has one text, whatever its form.
func TestInWords(t *testing.T) {
	t.Parallel()
	const declarations = `number points, days, latest
result_driver(result, user)
result_points(result, points)
result_days(result, days)
result_latest_driver(result, latest)
finished(result)
friends(user, user)
used(tag, user)
marked(page, user, tag)
age(user, number)
old(user)
class(page, category)
target buys(user)
target listed likes(user, page)
`
	for _, test := range []struct{ formula, want string }{
		{"1 buys(u)", "Base rate: the share of users that are “buys”."},
		{"-1 old(u) => buys(u)", "Users that are “old” are “buys” less often."},
		{"1 log: used(t, u) ^ used(t, @center) => buys(u)", "Users that are related by “used” to at least one tag that is related by “used” to this user are “buys” more often, the more so the more there are."},
		{"-2 once: marked(p, u, t) => buys(u)", "That buys holds for user u is less likely where there is a page p and tag t for which marked relates p, u and t."},
		{"1 mean: friends(u, x) ^ buys(x) => buys(u)", "That buys holds for user u is more likely the larger the share is, among the users x for which friends relates u to x, of those for which buys holds for x."},
		{"1 friends(u, x) ^ !old(x) ^ x != u => buys(u)", "Users that are related by “friends” to at least one other user that is not “old” are “buys” more often."},
		{"1 #{x: friends(x, u) ^ friends(x, @center)} >= 8 ^ #{t: used(t, u)} < 3 => buys(u)", "Users that are related by “friends” to 8 or more other users that are related by “friends” to this user and that are related by “used” to fewer than 3 tags are “buys” more often."},
		{"1 #{x, y: friends(x, y) ^ friends(y, u)} >= 1 ^ #{t: used(t, u)} < 1 => buys(u)", "That buys holds for user u is more likely where there is a user x and user y for which friends relates x to y and friends relates y to u, and there is no tag t for which used relates t to u."},
		{"1 #{x: friends(x, u) ^ used(t, x)} = 2 => buys(u)", "Users that are related by “friends” to exactly 2 other users that are related by “used” to at least one tag are “buys” more often."},
		{"1 avg{n, x: friends(x, u) ^ age(x, n)} >= 30 => buys(u)", "Users whose average age of the users related by “friends” was 30 or more are “buys” more often."},
		{"1 !last{n, m, x, y: age(x, n) ^ age(y, m) ^ used(t, u)} != 2.5 => buys(u)", "That buys holds for user u is more likely where it is not so that the last number n by number m over all pairs of user x and user y for which age relates x to n and age relates y to m and used relates tag t to u, for some t, is other than 2.5."},
		{"1 avg{n, r: result_driver(r, u) ^ result_points(r, n) ^ result_latest_driver(r, k) ^ k <= 1} >= 6.5 => buys(u)", "Users whose average points on the latest day was 6.5 or more are “buys” more often."},
		{"1 avg{n, r: result_driver(r, u) ^ result_points(r, n) ^ result_latest_driver(r, k) ^ k <= 5} >= 6.5 => buys(u)", "Users whose average points in the latest 5 was 6.5 or more are “buys” more often."},
		{"1 max{n, r: result_driver(r, u) ^ result_points(r, n) ^ result_days(r, d) ^ d <= 365} <= 2 => buys(u)", "Users whose highest points in the last 365 days was 2 or less are “buys” more often."},
		{"1 #{r: result_driver(r, u) ^ finished(r) ^ result_latest_driver(r, k) ^ k <= 10} >= 3 => buys(u)", "Users with 3 or more results in the latest 10 that are “finished” are “buys” more often."},
		{"1 #{r: result_driver(r, u) ^ result_days(r, d) ^ d <= 30} < 1 => buys(u)", "Users with no results in the last 30 days are “buys” more often."},
		{"1 share{r: finished(r) | result_driver(r, u) ^ result_latest_driver(r, k) ^ k <= 10} >= .5 => buys(u)", "Users whose share of results in the latest 10 that are “finished” is 50% or more are “buys” more often."},
		{"1 trend{n, d, r: result_driver(r, u) ^ result_points(r, n) ^ result_days(r, d)} < 0 => buys(u)", "Users whose trend of points was under 0 are “buys” more often."},
		{"1 age(u, n) ^ n >= 30 ^ n < 40 => buys(u)", "That buys holds for user u is more likely where age of u is at least 30 and less than 40."},
		{"1 rank(20, 30): age(u, n) => buys(u)", "The higher the age, the more often users are “buys”."},
		{"-1 rank(2, 3): #{r: result_driver(r, u) ^ finished(r)} => buys(u)", "Users with more results that are “finished” are “buys” less often."},
		{"1 rank(2, 3): avg{n, r: result_driver(r, u) ^ result_points(r, n)} => buys(u)", "The higher the average points, the more often users are “buys”."},
		{"1 relative(9.5): age(@center, n) => buys(u)", "That buys holds for user u is more likely the larger age of the center is, compared with the mean over the buys atoms of the subgraph."},
		{"1 relative: friends(u, x) => buys(u)", "Users that are related by “friends” to at least one other user are “buys” more often, compared with the other cases of the same subgraph."},
		{"1 class(p, \"a b\") => !likes(u, p)", "Pairs of a user and a page where the page's class is a b are not “likes” more often."},
		{"1 buys(u) v old(u)", "A state is the more likely, the more often either buys holds for user u or old holds for u."},
		{"buys(u) => EXIST p likes(u, p).", "Always, if buys holds for user u, then there is a page p for which likes relates u to p."},
		{"-1 buys(u) <=> old(u) ^ !(age(u, 3) v old(u))", "A state is the less likely, the more often buys holds for user u exactly where both old holds for u and it is not so that either age relates u to number 3 or old holds for u."},
	} {
		m, err := resolwe.ParseModel("m.mln", []byte(declarations+test.formula+"\n"), resolwe.ModelOptions{})
		check.OK(t, err)
		check.Equal(t, test.formula, render.InWords(m.Schema, m.Formulas[0]).String(), test.want)
	}
}

// Names cannot hide anything or fill the page.
func TestClip(t *testing.T) {
	t.Parallel()
	check.Equal(t, "marks", render.Clip("a\u202eb\x00\n\u2028c\xff", 80), "a\ufffdb\ufffd\ufffd\ufffdc\ufffd")
	check.Equal(t, "length", render.Clip(strings.Repeat("é", 100), 80), strings.Repeat("é", 80)+"…")
}
