package english_test

import (
	"testing"

	"resolwe/internal/english"
	"resolwe/internal/test/check"
)

// The forms of a dictionary.
func TestForms(t *testing.T) {
	t.Parallel()
	for one, many := range map[string]string{
		"loan": "loans", "movie": "movies", "city": "cities", "day": "days", "box": "boxes", "person": "people", "analysis": "analyses", "bus": "buses",
		"series": "series", "tax return": "tax returns", "hero": "heroes", "status": "statuses", "house": "houses", "alias": "aliases",
	} {
		check.Equal(t, one, english.Plural(one), many)
		if one != "tax return" {
			check.Equal(t, many, english.Singular(many), one)
		}
	}
	for noun, want := range map[string]string{
		"hour": "an hour", "user": "a user", "one-off": "a one-off", "account": "an account", "loan": "a loan", "umbrella": "an umbrella", "unit": "a unit",
		"uninsured car": "an uninsured car", "European": "a European", "order": "an order", "honest trade": "an honest trade", "house": "a house",
	} {
		check.Equal(t, noun, english.Article(noun), want)
	}
	for one, many := range map[string]string{
		"gets letters": "get letters", "is in Prague": "are in Prague", "has a card": "have a card", "was late": "were late", "went bad": "went bad",
		"carries debt": "carry debt", "passes": "pass", "goes": "go", "does not pay": "do not pay", "discusses prices": "discuss prices", "did not respond": "did not respond",
		"is an edit": "are edits", "is no edit": "are no edits", "is a member of a club": "are a member of a club",
	} {
		check.Equal(t, one, english.ForMany(one), many)
	}
	for yes, no := range map[string]string{
		"gets letters": "does not get letters", "is in Prague": "is not in Prague", "is not in Prague": "is in Prague", "is an edit": "is no edit", "has a card": "has no card", "has orders": "has no orders", "had sent money": "had never sent money",
		"had been charged": "had never been charged", "had a payment": "had no payment", "had no payment": "had at least one payment", "went bad": "never went bad",
	} {
		check.Equal(t, yes, english.Negated(yes), no)
	}
}
