package tablefile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"resolwe/format/lex"
	"resolwe/format/table"
)

// match is a file that a pattern names.
type match struct {
	path      string            // to open it
	name      string            // as the pattern would have it, with slashes
	wildcards map[string]string // what {w} stands for in it
}

func hasWildcard(glob string) bool { return strings.ContainsAny(glob, `*?[{`) }

// find returns the files that the spec names, in byte order of their names.
func (s *spec) find(dir string) ([]match, error) {
	if s.Glob == "" {
		return nil, s.fault("no file is named")
	}
	root := match{path: dir, wildcards: map[string]string{}}
	glob := path.Clean(filepath.ToSlash(s.Glob))
	if filepath.IsAbs(s.Glob) {
		root.path = filepath.VolumeName(s.Glob) + "/"
		root.name = root.path
		glob = strings.TrimPrefix(glob, filepath.ToSlash(root.path))
	}
	found := []match{root}
	parts := strings.Split(glob, "/")
	for i, part := range parts {
		var err error
		if found, err = s.descend(found, part, i == len(parts)-1); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, s.missing(filepath.Join(root.path, glob), nearFile(root.path, glob))
	}
	slices.SortFunc(found, func(a, b match) int { return strings.Compare(a.name, b.name) })
	return found, nil
}

// Files returns the paths of the files that a spec names, as [Reader.Load] finds them. The error is one of its errors.
func Files(s *table.Spec, dir string) ([]string, error) {
	found, err := (*spec)(s).find(dir)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(found))
	for i, m := range found {
		paths[i] = m.path
	}
	return paths, nil
}

// descend returns the entries of the folders that one part of a pattern names: files where it is the last part.
func (s *spec) descend(folders []match, part string, last bool) (found []match, err error) {
	if !hasWildcard(part) {
		for _, folder := range folders {
			if found, err = folder.enter(found, part, folder.wildcards, last); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	pattern, err := compile(part)
	if err != nil {
		return nil, s.fault("%s: %v", s.Glob, err)
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			wildcards := pattern.bind(e.Name(), folder.wildcards)
			hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(part, ".")
			if wildcards == nil || hidden {
				continue
			}
			if found, err = folder.enter(found, e.Name(), wildcards, last); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// enter appends the entry of a folder where it is there: a file where that is wanted, else a folder.
func (m match) enter(found []match, name string, wildcards map[string]string, file bool) ([]match, error) {
	entry := match{filepath.Join(m.path, name), path.Join(m.name, name), wildcards}
	info, err := os.Stat(entry.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return found, nil
	}
	if err != nil || info.IsDir() == file {
		return found, err
	}
	return append(found, entry), nil
}

// tokens are the parts of a pattern: what stands for other characters, and text.
var tokens = regexp.MustCompile(`\*|\?|\[[^\]]+\]|\{[A-Za-z][A-Za-z0-9_]*\}|[^*?\[{]+`)

// pattern is one part of a glob: an expression with a group for each wildcard.
type pattern struct {
	expr      *regexp.Regexp
	wildcards []string
}

func compile(part string) (*pattern, error) {
	if tokens.ReplaceAllString(part, "") != "" {
		return nil, fmt.Errorf("a bracket is not closed in %q, or holds no name", part)
	}
	p := new(pattern)
	expr := tokens.ReplaceAllStringFunc(part, func(s string) string {
		switch s[0] {
		case '*':
			return `.*`
		case '?':
			return `.`
		case '[':
			return strings.ReplaceAll(s, `\`, `\\`)
		case '{':
			p.wildcards = append(p.wildcards, s[1:len(s)-1])
			return `(.+)`
		}
		return regexp.QuoteMeta(s)
	})
	var err error
	p.expr, err = regexp.Compile(`(?s)\A` + expr + `\z`)
	return p, err
}

// bind matches a name, and returns the wildcards that stood before with its own; nil where it does not match.
func (p *pattern) bind(name string, before map[string]string) map[string]string {
	groups := p.expr.FindStringSubmatch(name)
	if groups == nil {
		return nil
	}
	after := maps.Clone(before)
	for i, w := range p.wildcards {
		if old, ok := after[w]; ok && old != groups[i+1] {
			return nil
		}
		after[w] = groups[i+1]
	}
	return after
}

// nearFile returns the name of a file that a missing one could have been meant for, "" where there is none.
func nearFile(dir, glob string) string {
	if hasWildcard(glob) {
		return ""
	}
	folder := path.Dir(glob)
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return ""
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	near := lex.Suggest(path.Base(glob), names)
	if near == "" {
		return ""
	}
	return path.Join(folder, near)
}
