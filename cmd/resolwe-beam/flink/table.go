package main

import "fmt"

// table prints a line for each run.
type table struct{ runs, wrong int }

const row = "%-34s %-17s %8s %8s %8s  %s\n"

func (t *table) header() {
	fmt.Printf("\n"+row, "what", "where", "s", "CPU s", "Flink", "result")
}

// add prints a run. want says what is wrong with it, "" where nothing is.
func (t *table) add(what string, at where, o *outcome, result, wrong string) {
	t.runs++
	if wrong != "" {
		t.wrong++
		result = "WRONG: " + wrong
	}
	fmt.Printf(row, what, string(at), seconds(o.seconds), seconds(o.cpu), seconds(o.flink), result)
}

func seconds(v float64) string { return fmt.Sprintf("%.1f", v) }
