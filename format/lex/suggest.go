package lex

import (
	"fmt"
	"strings"
)

// maxSuggest is the length of the longest name for which a similar one is looked for.
const maxSuggest = 100

// Suggest returns the name of among that is nearest to name by edit distance, the first of equals, or "" if none is near: at most a third
// of the letters may differ.
func Suggest(name string, among []string) string {
	if len(name) > maxSuggest {
		return ""
	}
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, other := range among {
		if other == name || max(len(other)-len(name), len(name)-len(other)) >= bestDistance {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(other)); d < bestDistance && d < len(name) {
			best, bestDistance = other, d
		}
	}
	return best
}

// DidYouMean returns a question to append to a message about name, with the nearest name of among, or "" if none is near.
func DidYouMean(name string, among []string) string {
	if near := Suggest(name, among); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b
// (the restricted distance of Damerau, 1964).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
