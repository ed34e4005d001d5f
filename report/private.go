package report

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/render"
)

// hide leaves out of a content what tells single cases: their names, the facts behind reasons, groups of few cases, values of columns that
// are no numbers, and the folders of files.
func (c *Content) hide() {
	c.Private, c.Findings.Rare = true, nil
	number := 0
	for _, list := range [][]Case{c.Cases.List, c.Cases.Undecided} {
		for i := range list {
			x := &list[i]
			number++
			x.Name, x.Subgraph = plain(fmt.Sprintf("case %d", number)), ""
			for k := range x.Reasons {
				x.Reasons[k].Facts = nil
			}
		}
	}
	for i := range c.Data {
		if _, is := mln.ParseNumber(c.Data[i].Median); !is {
			c.Data[i].Median = ""
		}
	}
	files := make([]Input, len(c.Again.Files))
	for i, f := range c.Again.Files {
		for k := range c.Again.Commands {
			c.Again.Commands[k] = strings.ReplaceAll(c.Again.Commands[k], f.Path, filepath.Base(f.Path))
		}
		f.Path = filepath.Base(f.Path)
		files[i] = f
	}
	for k := range c.Again.Commands {
		c.Again.Commands[k] = folders.ReplaceAllString(c.Again.Commands[k], "")
	}
	c.Again.Files = files
}

// folders are the folders of a path in a command.
var folders = regexp.MustCompile(`[^\s'"=,]*[/\\]`)

// WriteNames writes a table, as CSV, of the numbers that a private report gives its cases, with their subgraphs and names.
func (r *Report) WriteNames(w io.Writer) error {
	line, end := render.Lines(w)
	line("case", "subgraph", "name")
	number := 0
	for _, x := range r.listed {
		number++
		line(number, x.Subgraph, x.Name.String())
	}
	for _, x := range r.undecided {
		number++
		line(number, x.Subgraph, x.Name.String())
	}
	return end()
}
