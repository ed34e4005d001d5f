package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Select returns lines of an output, in order. Without items these are all. An item is
//
//	+3    three more lines
//	+     all other lines
//	..    a line of dots, for lines that are left out
//	* RE  all lines from here on that match a regular expression
//	~ RE  none: what matches are times, of which the page keeps its own
//	RE    the next line that matches
func Select(output string, items []string) (lines []string, err error) {
	all := strings.Split(strings.TrimRight(output, "\n"), "\n")
	items = slices.DeleteFunc(slices.Clone(items), func(item string) bool { return strings.HasPrefix(item, "~ ") })
	if len(items) == 0 {
		return all, nil
	}
	at := 0
	for _, item := range items {
		if item == ".." {
			lines = append(lines, item)
			continue
		}
		if number, more := strings.CutPrefix(item, "+"); more {
			n, err := strconv.Atoi(number)
			if err != nil || n > len(all)-at {
				n = len(all) - at
			}
			lines = append(lines, all[at:at+n]...)
			at += n
			continue
		}
		text, every := strings.CutPrefix(item, "* ")
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		found := false
		for ; at < len(all) && (every || !found); at++ {
			if re.MatchString(all[at]) {
				lines, found = append(lines, all[at]), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no line matches %q from here on in\n%s", item, output)
		}
	}
	return lines, nil
}

// times returns what matches times, or nil.
func times(items []string) *regexp.Regexp {
	for _, item := range items {
		if text, ok := strings.CutPrefix(item, "~ "); ok {
			return regexp.MustCompile(text)
		}
	}
	return nil
}

// Keep returns the new lines with the times of the old ones, if these are as many.
func Keep(old, lines, items []string) []string {
	re := times(items)
	if re == nil {
		return lines
	}
	was, text := strings.Join(old, "\n"), strings.Join(lines, "\n")
	kept := re.FindAllString(was, -1)
	if len(kept) != len(re.FindAllString(text, -1)) {
		return lines
	}
	return strings.Split(re.ReplaceAllStringFunc(text, func(time string) string {
		next := kept[0]
		kept = kept[1:]
		return fmt.Sprintf("%*s", len(time), next)
	}), "\n")
}

var place = regexp.MustCompile(`\{([^{}]+?)(?:;([^;{}]*))?\}`)

// Fill replaces lines that templates describe. A template is a line with places for figures, {RE} or {RE;FORM}, and replaces the one line that begins as
// it does up to its first place. A figure is what the group of a regular expression matches in the output, line by line, in a form:
//
//	.3 0.3  a number with three decimals, without or with a zero before the point
//	,       with commas between thousands
//	range   the least and the greatest of several numbers, as 3 to 7
//	count   the number of matches, as a word
//	words   a number up to twelve as a word
func Fill(lines, templates []string, output string) ([]string, error) {
	lines = slices.Clone(lines)
	for _, template := range templates {
		begin, _, _ := strings.Cut(template, "{")
		at := -1
		for i, line := range lines {
			if strings.HasPrefix(line, begin) {
				if at >= 0 {
					return nil, fmt.Errorf("several lines begin with %q", begin)
				}
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("no line begins with %q", begin)
		}
		var fault error
		lines[at] = place.ReplaceAllStringFunc(template, func(text string) string {
			parts := place.FindStringSubmatch(text)
			re, err := regexp.Compile("(?m)" + parts[1])
			if err != nil {
				fault = err
				return text
			}
			found := re.FindAllStringSubmatch(output, -1)
			if parts[2] == "count" {
				return words(len(found))
			}
			if len(found) == 0 || len(found[0]) < 2 {
				fault = fmt.Errorf("%q finds no figure in\n%s", parts[1], output)
				return text
			}
			figure, err := formed(found[0][1], parts[2])
			if err != nil {
				fault = err
			}
			return figure
		})
		if fault != nil {
			return nil, fault
		}
	}
	return lines, nil
}

// formed prints a figure in a form.
func formed(text, form string) (string, error) {
	switch form {
	case "":
		return text, nil
	case "range":
		var numbers []int
		for field := range strings.FieldsSeq(text) {
			n, err := strconv.Atoi(field)
			if err != nil {
				return "", err
			}
			numbers = append(numbers, n)
		}
		if slices.Min(numbers) == slices.Max(numbers) {
			return strconv.Itoa(numbers[0]), nil
		}
		return fmt.Sprintf("%d to %d", slices.Min(numbers), slices.Max(numbers)), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", err
	}
	if form == "words" {
		return words(int(x)), nil
	}
	if form == "," {
		text = strconv.FormatFloat(x, 'f', 0, 64)
		for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text, nil
	}
	zero, digits, _ := strings.Cut(form, ".")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return "", fmt.Errorf("no form %q", form)
	}
	text = strconv.FormatFloat(x, 'f', n, 64)
	if sign, rest, ok := strings.Cut(text, "0."); ok && zero == "" && strings.Trim(sign, "-") == "" {
		text = sign + "." + rest
	}
	return text, nil
}

// words writes small numbers as words.
func words(n int) string {
	names := strings.Fields("no one two three four five six seven eight nine ten eleven twelve")
	if n < len(names) {
		return names[n]
	}
	return strconv.Itoa(n)
}
