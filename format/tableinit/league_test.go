package tableinit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// league is the folder of a sport: players have teams, results come of races, whose dates they have, and label says whether a player is out
// in the days after a date.
func league(t *testing.T) string {
	t.Helper()
	var players, teams, races, results, standings, status, colours, out, coaches, trainings strings.Builder
	players.WriteString("playerId,playerRef,born,code,coachId\n")
	coaches.WriteString("coachId,town\n")
	trainings.WriteString("trainingId,coachId,day,hours\n")
	teams.WriteString("teamId,name,country\n")
	races.WriteString("raceId,date,track\n")
	results.WriteString("raceId,playerId,teamId,points,statusId\n")
	standings.WriteString("standingId,raceId,teamId,points\n")
	status.WriteString("statusId,status\n")
	colours.WriteString("colour,shade\n")
	out.WriteString("playerId,date,label\n")
	for i := range 15 {
		fmt.Fprintf(&players, "%d,ref%d,%d-02-03,P%d,%d\n", 100+i, i, 1970+i, i%9, 400+i%14)
		fmt.Fprintf(&coaches, "%d,%s\n", 400+i, []string{"Rome", "Oslo"}[i%2])
		fmt.Fprintf(&teams, "%d,Team %d,%s\n", 200+i, i, []string{"Rome", "Oslo"}[i%2])
		fmt.Fprintf(&status, "%d,\"Out %d\"\n", 300+i, i)
		fmt.Fprintf(&colours, "c%d,%d\n", i, i)
	}
	for race := range 60 {
		day := time.Date(2010, 1, 1+20*race, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&races, "%d,%s,track%d\n", 1000+race, day.Format("1/2/2006"), race%5)
		for i := range 15 {
			fmt.Fprintf(&results, "%d,%d,%d,%d,%d\n", 1000+race, 100+i, 200+(i+race/20)%15, (i*race)%11, 300+(i+race)%15)
			fmt.Fprintf(&standings, "%d,%d,%d,%d\n", 5000+15*race+i, 1000+race, 200+i, race*i)
			fmt.Fprintf(&trainings, "%d,%d,%s,%d\n", 9000+15*race+i, 400+i, day.AddDate(0, 0, i).Format(time.DateOnly), i%4)
			fmt.Fprintf(&out, "%d,%s,%d\n", 100+i, day.AddDate(0, 0, 1).Format(time.DateOnly), (i+race)%2)
		}
	}
	return folder(t, false, [][2]string{
		{"players.csv", players.String()},
		{"teams.csv", teams.String()},
		{"races.csv", races.String()},
		{"results.csv", results.String()},
		{"standings.csv", standings.String()},
		{"status.csv", status.String()},
		{"colours.csv", colours.String()},
		{"coaches.csv", coaches.String()},
		{"trainings.csv", trainings.String()},
		{"out.csv", out.String()},
	}...)
}

// TestInfer_Windows drafts a label of days to come, out of rows with dates.
func TestInfer_Windows(t *testing.T) {
	t.Parallel()
	dir := league(t)
	d := infer(t, dir, "out.date", "out(playerId, label)")
	for what, want := range map[string]string{
		"rows by their numbers":     "table results_rows(result, race, player, team, int, status_id)\n  from \"results.csv\" (#row, raceId, playerId, teamId, int(points), statusId)\n",
		"ranks":                     "ranked_results_playerId(x, k, rank(t1 by k)) :- member(x), results_rows(k, p0, x, _, _, _), races_rows(p0, t1, _), cutoff(t0), t1 < t0, t1 <= @asof\n",
		"ranks of rows":             "results_latest_playerId(k, n) :- ranked_results_playerId(_, k, n)\n",
		"days of rows":              "results_days(k, days(t0 - t)) :- of_results(k), cutoff(t0), results_rows(k, p0, _, _, _, _), races_rows(p0, t, _)\n",
		"the last team":             "results_playerId_last_teamId(x, y) :- ranked_results_playerId(x, k, 1), results_rows(k, _, _, y, _, _)\n",
		"the team's rows":           "ranked_results_teamId(y, k, rank(t1 by k)) :- near_team(y), results_rows(k, p0, _, y, _, _), races_rows(p0, t1, _), cutoff(t0), t1 < t0, t1 <= @asof, t1 >= t0 - 1095 days\n",
		"the team's other rows":     "of_standings(k) :- ranked_standings_teamId(_, k, _)\n",
		"rows of what it refers to": "near_coach(y) :- member(k), players_rows(k, _, _, y)\n",
		"whose dates are their own": "ranked_trainings_coachId(y, k, rank(t by k)) :- near_coach(y), trainings_rows(k, y, t, _), cutoff(t0), t < t0, t <= @asof, t >= t0 - 1095 days\n",
		"texts behind keys":         "results_statusId(k, y) :- of_results(k), results_rows(k, _, _, _, _, n), status_rows(n, y)\n",
		"another key":               "//   playerRef: left out (names the rows as playerId does)\n",
		"a code that repeats":       "//   code: a player_code (9 texts that repeat)\n",
		"a birthday":                "players_born_days(k, days(t0 - t)) :- of_players(k), cutoff(t0), players_rows(k, t, _, _), t < t0, t <= @asof\n",
		"what is not used":          "//   not used: nothing connects it with the target\n",
	} {
		check.Contains(t, string(d.Recipe), want, "%s", what)
	}
	for _, want := range []string{
		"\nnumber ", " results_points\n", " standings_points", "born", "latest", "days", "results_points(result, results_points)\n",
		"standings_points(standing, standings_points)\n", "results_days(result, days)\n", "results_statusId(result, status)\n", "players_born_days(player, born)\n",
	} {
		check.Contains(t, string(d.Task), want, "task")
	}
	check.Contains(t, strings.Join(d.Notes, " "), "an earlier label is not stated, as nothing says when it became known: how many days ahead does it look?", "output")
	if strings.Contains(string(d.Recipe), "out_label(k") {
		t.Error("earlier labels are stated")
	}
	for _, table := range d.Tables {
		if (table.Unused != "") != (table.Name == "colours") {
			t.Errorf("%s: got %q", table.Name, table.Unused)
		}
	}
}

// TestInfer_Horizon has a label that is known after a week, and a center that would lose rows.
func TestInfer_Horizon(t *testing.T) {
	t.Parallel()
	dir := league(t)
	opt := tableinit.Options{Center: "out.date", Target: "out(playerId, label)", Horizon: "7d"}
	d, err := tableinit.Infer(t.Context(), dir, opt)
	if err != nil || !strings.Contains(string(d.Recipe), "t <= t0 - 7 days, t <= @asof - 7 days") {
		t.Errorf("got %v", err)
	}
	opt.Center, opt.Horizon = "out.playerId", ""
	_, err = tableinit.Infer(t.Context(), dir, opt)
	if e, ok := errors.AsType[*tableinit.UsageError](err); !ok || !strings.Contains(e.Message, "885 of the 900 rows of out are not predicted, as a center has several rows of one playerId: take out.date") {
		t.Errorf("got %v", err)
	}
}
