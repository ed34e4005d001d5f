package tableinit_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// rowsOf returns a table of n rows below a header.
func rowsOf(header string, n int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// TestWordsOf_Singular has singulars as English forms them.
func TestWordsOf_Singular(t *testing.T) {
	t.Parallel()
	for plural, want := range map[string]string{
		"movies": "movie", "cities": "city", "trans": "trans", "buses": "bus", "statuses": "status", "campuses": "campus", "houses": "house",
		"warehouses": "warehouse", "clauses": "clause", "diagnoses": "diagnosis", "analyses": "analysis", "series": "series", "news": "news", "people": "person",
		"children": "child", "boxes": "box", "taxes": "tax", "caches": "cache", "batches": "batch", "aliases": "alias", "alias": "alias", "gas": "gas",
		"courses": "course", "purchases": "purchase", "prizes": "prize", "heroes": "hero", "shoes": "shoe", "photos": "photo", "address": "address",
		"addresses": "address", "basis": "basis", "areas": "area", "indices": "index", "cookies": "cookie", "entries": "entry", "births": "birth", "as": "as",
	} {
		check.Equal(t, plural, strings.Join(tableinit.WordsOf(plural), " "), want)
	}
}

// TestInfer_Types determines what columns refer to and hold by their names, cells and keys. A case has tables, and lines that the recipe has or,
// behind "!", has not.
func TestInfer_Types(t *testing.T) {
	t.Parallel()
	labels := func(key func(i int) string) [2]string {
		return [2]string{"labels.csv", rowsOf("player_id,bad", 300, func(i int) string { return fmt.Sprintf("%s,%d", key(i), i*i%3%2) })}
	}
	from := func(base int) func(i int) string { return func(i int) string { return strconv.Itoa(base + i) } }
	games := func(header, format string, base int) [2]string {
		return [2]string{"games.csv", rowsOf(header, 500, func(i int) string { return fmt.Sprintf(format, i+7, base+i*7%300, base+(i*11+1)%300, 100+i*13%60) })}
	}
	players := func(base int) [2]string {
		return [2]string{"players.csv", rowsOf("player_id,land", 900, func(i int) string { return fmt.Sprintf("%d,L%d", base+i, i%7) })}
	}
	for name, tt := range map[string]struct {
		tables [][2]string
		want   []string
		as     []string
	}{
		"roles beside each other": {
			[][2]string{labels(from(100000)), players(100000), games("game,winner_id,loser_id,minutes", "g%d,%d,%d,%d", 100000)},
			[]string{"winner_id: a player, of players (it is one of several roles, and all of its values are in players.player_id)", "loser_id: a player, of players", "minutes: number"},
			nil,
		},
		"roles with no word for them": {
			[][2]string{labels(from(100000)), players(100000), games("game,w_id,l_id,minutes", "g%d,%d,%d,%d", 100000)},
			[]string{"w_id: a player, of players", "l_id: a player, of players"},
			nil,
		},
		"roles without ids": {
			[][2]string{labels(from(100000)), players(100000), games("game,home,away,home_points", "g%d,%d,%d,%d", 100000)},
			[]string{"home: a player, of players", "away: a player, of players", "home_points: number"},
			nil,
		},
		"quantities are no roles": {
			[][2]string{labels(from(100)), players(100), games("game,weight,height,minutes", "g%d,%d,%d,%d", 100)},
			[]string{"weight: number", "height: number", "minutes: number"},
			nil,
		},
		"numbers from 1 on say nothing": {
			[][2]string{labels(from(1)), players(1), games("game,round_id,field_id,minutes", "g%d,%d,%d,%d", 1)},
			[]string{"round_id: a round (", "field_id: a field (", "minutes: number"},
			nil,
		},
		"a reference by request": {
			[][2]string{labels(from(1)), players(1), games("game,round_id,field_id,minutes", "g%d,%d,%d,%d", 1)},
			[]string{"round_id: a player, of players (as asked", "field_id: a field ("},
			[]string{"games.round_id=players.player_id"},
		},
		"texts that no table lists": {
			[][2]string{labels(from(1)), {"mails.csv", rowsOf("mail,sender_id,receiver_id,player_id", 400, func(i int) string {
				return fmt.Sprintf("m%d,u%d,u%d,%d", i, i*7%80, 30+i*11%80, 1+i%300)
			})}},
			[]string{"receiver_id: a sender (another role of what sender_id of mails holds, with 62% of the values in common)"},
			nil,
		},
		"few texts, the same": {
			[][2]string{labels(from(1)), {"trips.csv", rowsOf("trip,from_city,to_city,mood,player_id", 400, func(i int) string {
				return fmt.Sprintf("m%d,c%d,c%d,%s,%d", i, i%5, i*3%5, []string{"good", "fair", "poor"}[i%3], 1+i%300)
			})}},
			[]string{"from_city: a city (", "to_city: a city (another role", "mood: a trip_mood ("},
			nil,
		},
		"half of the things are missing": {
			[][2]string{labels(from(100)), {"players.csv", rowsOf("player_id,land", 130, func(i int) string { return fmt.Sprintf("%d,L%d", 100+i*7%300, i%7) })}, {
				"orders.csv", rowsOf("order_id,player_id,amount", 600, func(i int) string { return fmt.Sprintf("o%d,%d,%d.5", i, 100+i%300, i%40) }),
			}},
			[]string{"player_id: key, a player, of players (it is called so, and 43% of its values are in players.player_id)", "orders_amount(k, n) :- of_orders(k)"},
			nil,
		},
		"a value named as its own table": {
			[][2]string{labels(from(100)), {"ratings.csv", rowsOf("id,player_id,rating,old_rating", 600, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d", i+1, 100+i%300, 1+i%5, 1+i%4) })}},
			[]string{"rating: number", "old_rating: number"},
			nil,
		},
		"a value named as another table": {
			[][2]string{labels(from(100)), {"grades.csv", rowsOf("id,player_id", 600, func(i int) string { return fmt.Sprintf("%d,%d", i+1, 100+i%300) })}, {
				"levels.csv", rowsOf("id,title", 6, func(i int) string { return fmt.Sprintf("%d,L%d", i+1, i) }),
			}, {"games.csv", rowsOf("game,player_id,grade,level", 600, func(i int) string { return fmt.Sprintf("g%d,%d,%d,%d", i, 100+i%300, 1+i%5, 1+i%4) })}},
			[]string{"grade: number", "level: a level_id, of levels"},
			nil,
		},
		"its parent in its own table": {
			[][2]string{labels(from(100)), {"posts.csv", rowsOf("id,player_id,parent,other_post_id", 600, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d", i+1, 100+i%300, 1+i/2, 1+i/3) })}},
			[]string{"parent: a post, of posts", "other_post_id: a post, of posts"},
			nil,
		},
		"ids with zeros around them": {
			[][2]string{labels(func(i int) string { return fmt.Sprintf("%06d", 1000+i) }), {"players.csv", rowsOf("player_id,land", 300, func(i int) string {
				return fmt.Sprintf("%d,L%d", 1000+i, i%7)
			})}, {"visits.csv", rowsOf("visit,player,zip_code", 400, func(i int) string {
				return fmt.Sprintf("v%d,%s,%05d", i, []string{fmt.Sprintf("%d.0", 1000+i%300), ""}[i/7%2], 501+i*i%300)
			})}},
			[]string{
				"player: a player, of players (it is called so, and all of its values are in players.player_id; 1000.0 is 1000; 197 cells are empty)",
				"from \"labels.csv\" (int(player_id), bad)", "from \"visits.csv\" (visit, optional int(player), zip_code)", "zip_code: a zip_code (numbers that begin with 0 are names",
			},
			nil,
		},
		"names": {
			[][2]string{labels(from(1)), {"tbl_players.csv", rowsOf("player_id,land,birth_number", 300, func(i int) string { return fmt.Sprintf("%d,L%d,%d", i+1, i%7, 77000+i/2*31) })}, {
				"addresses.csv", rowsOf("player_id,town", 300, func(i int) string { return fmt.Sprintf("%d,T%d", i+1, i%9) }),
			}, {"actors.csv", rowsOf("cast_id,player_id,movie_id", 300, func(i int) string { return fmt.Sprintf("c%d,%d,m%d", i, 1+i, i%30) })}},
			[]string{"player_id: key, a player", "birth_number: a birth_number (", "movie_id: a movie (", "cast_id: key, a cast (", "!an actor"},
			nil,
		},
		"kinds by request": {
			[][2]string{labels(from(1)), {"players.csv", rowsOf("player_id,size,team,since,note", 300, func(i int) string {
				return fmt.Sprintf("%d,%d,%d,%d,n%d", i+1, 30+i%5, 200+i%40, 20200100+i%28, i%3)
			})}},
			[]string{"size: a player_size (as asked)", "team: a team (as asked)", "since: number (as asked)", "note: left out (as asked)", "int(since)"},
			[]string{"players.size=category", "players.team=id", "players.since=number", "players.note=text"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := tableinit.Infer(t.Context(), folder(t, false, tt.tables...), tableinit.Options{Center: "labels.player_id", Target: "labels(player_id, bad)", As: tt.as})
			check.OK(t, err)
			for _, want := range tt.want {
				if absent, not := strings.CutPrefix(want, "!"); not == strings.Contains(string(d.Recipe), absent) {
					t.Errorf("got\n%s\nwant %s", d.Recipe, want)
				}
			}
		})
	}
}

// TestInfer_AsErrors asks for what columns do not hold.
func TestInfer_AsErrors(t *testing.T) {
	t.Parallel()
	dir := folder(t, false, shop(t)...)
	for as, want := range map[string]string{
		"customers.city=number":                   `--as: column city of table customers cannot be read as a number: its first cell is "Rome"`,
		"customers.city=date":                     `--as: column city of table customers cannot be read as a date: its first cell is "Rome"`,
		"customers.city=flag":                     `--as customers.city=flag: there is no kind "flag": it may be id, category, number, date or text, or TABLE.COLUMN, a key to which it refers`,
		"customers.town=id":                       `--as: table customers has no column "town"; it has: customer_id, city`,
		"favourites.product=lines.product_id":     "--as: column product_id of table lines is not a key: some cells are empty or repeat",
		"customers.customer_id=customers.nowhere": `--as: table customers has no column "nowhere"; it has: customer_id, city`,
		"customers.city":                          `--as customers.city: there is no kind "": it may be id, category, number, date or text, or TABLE.COLUMN, a key to which it refers`,
	} {
		_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "customers.customer_id", Target: "favourites(customer, product)", As: []string{as}})
		if e, ok := errors.AsType[*tableinit.UsageError](err); !ok || e.Message != want {
			t.Errorf("%s: got %v, want %s", as, err, want)
		}
	}
}

// TestInfer_Doubts has columns of tables with a row for each predicted thing that know the label, with a key or without, and others that do not.
func TestInfer_Doubts(t *testing.T) {
	t.Parallel()
	bad := func(i int) int { return i * i * 7 % 11 % 2 }
	dir := folder(t, false,
		[2]string{"players.csv", rowsOf("player_id,bad,height,note", 300, func(i int) string { return fmt.Sprintf("%d,%d,%d,n%d", i+500, bad(i), 150+i*31%50, bad(i)) })},
		[2]string{"details.csv", rowsOf("shoe,player_id,weight,fine,fined_on", 300, func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%d.%d,2020-%02d-03", 30+i%9, i+500, 60+i*17%40, 100*bad(i)+i*13%70, i%10, 1+6*bad(i)+i%5)
		})},
	)
	d := infer(t, dir, "players.player_id", "players(player_id, bad)")
	var doubted []string
	for _, n := range d.Notes {
		if name, _, ok := strings.Cut(n, " may be the answer in disguise"); ok {
			doubted = append(doubted, name)
		}
	}
	check.Slices(t, doubted, []string{"details.fine", "details.fined_on", "players.note"}, "doubted")
}
