package paperscale_test

import (
	"maps"
	"slices"
	"testing"

	"resolwe/bench/paperscale"
	"resolwe/internal/test/check"
)

// deliciousTables are the tables as plain sets, read back from the files.
type deliciousTables struct {
	friends  relation
	pages    map[string]map[string]int // by user: page to day
	tags     relation                  // user to tags
	tagged   relation                  // user to page and tag
	taggings map[string]int            // by user
	fans     int
}

func readDelicious(tb testing.TB, dir string) *deliciousTables {
	tb.Helper()
	d := &deliciousTables{
		friends: relation{}, pages: map[string]map[string]int{}, tags: relation{}, tagged: relation{}, taggings: map[string]int{},
	}
	fans := read(tb, dir, "fan", "user of")
	checkDistinct(tb, "fan", fans)
	d.fans = len(fans)
	for _, r := range fans {
		d.friends.add(r[0], r[1])
		d.friends.add(r[1], r[0])
	}
	days := map[string]int{}
	for _, r := range read(tb, dir, "tagging", "user url tag day") {
		if _, ok := days[r[3]]; !ok {
			days[r[3]] = dayNumber(tb, r[3])
		}
		if d.pages[r[0]] == nil {
			d.pages[r[0]] = map[string]int{}
		}
		if day, ok := d.pages[r[0]][r[1]]; ok && day != days[r[3]] {
			tb.Errorf("%s bookmarked %s twice", r[0], r[1])
		}
		d.pages[r[0]][r[1]] = days[r[3]]
		d.tags.add(r[0], r[2])
		d.tagged.add(r[0], r[1]+" "+r[2])
		d.taggings[r[0]]++
	}
	for u, n := range d.taggings {
		check.Equal(tb, u+": distinct taggings", len(d.tagged[u]), n)
	}
	return d
}

func (d *deliciousTables) strangers(user string) set {
	out := set{}
	for f := range d.friends[user] {
		maps.Copy(out, d.friends[f])
	}
	for f := range d.friends[user] {
		delete(out, f)
	}
	delete(out, user)
	return out
}

func (d *deliciousTables) centers() []string {
	var out []string
	for u, friends := range d.friends {
		if len(friends) >= 30 && len(d.strangers(u)) >= len(friends) {
			out = append(out, u)
		}
	}
	slices.Sort(out)
	return out
}

func TestDelicious_Counts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                           string
		scale                          float64
		seed                           uint64
		users, fans, taggings, centers int
	}{
		{"seed 1", 0.01, 1, 2000, 4255, 488_096, 7},
		{"smallest, seed 1", 1e-6, 1, 1500, 3000, 200_000, 4},
		{"smallest, seed 2", 1e-6, 2, 1500, 3000, 200_000, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, stats := generate(t, paperscale.Delicious, tt.scale, tt.seed)
			d := readDelicious(t, dir)
			taggings := 0
			for _, n := range d.taggings {
				taggings += n
			}
			check.Equal(t, "users", len(d.taggings), tt.users)
			check.Equal(t, "fans", d.fans, tt.fans)
			check.Equal(t, "taggings", taggings, tt.taggings)
			check.Equal(t, "centers", len(d.centers()), tt.centers)
			check.Equal(t, "figure fans", int(stats.Figure("fans")), tt.fans)
			check.Equal(t, "figure taggings", int(stats.Figure("taggings")), tt.taggings)
			check.Equal(t, "figure centers", int(stats.Figure("centers")), tt.centers)
			near := 0
			for u, friends := range d.friends {
				if d.friends[u][u] {
					t.Errorf("%s is a friend of itself", u)
				}
				if len(friends) >= 30 && len(d.strangers(u)) == 0 {
					near++
				}
			}
			if near == 0 {
				t.Error("no user fails the rule by friends of friends alone")
			}
		})
	}
}
