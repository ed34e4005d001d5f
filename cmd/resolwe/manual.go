package main

import (
	"io"

	"github.com/alecthomas/kong"

	"resolwe/cmd/internal/completion"
	"resolwe/cmd/internal/manual"
)

type shellCmd struct {
	Shell string `arg:"" help:"One of ${enum}." enum:"${shells}"`
}

// shells are the values of completion's argument.
func shells() kong.Vars { return kong.Vars{"shells": completion.Shells} }

// Help says what the command does.
func (*shellCmd) Help() string {
	return `Prints a script with which a shell completes commands, flags and their values.

Examples:

	resolwe completion bash > /etc/bash_completion.d/resolwe
	resolwe completion zsh > "${fpath[1]}/_resolwe"
	resolwe completion fish > ~/.config/fish/completions/resolwe.fish`
}

// Run prints the script.
func (c *shellCmd) Run(e *environment, k *kong.Kong) error {
	return e.results(func(w io.Writer) error { return completion.Write(w, k.Model, c.Shell) })
}

type manCmd struct{}

// Help says what the command does.
func (*manCmd) Help() string {
	return `Prints the manual page, which has the help of all commands.

Examples:

	resolwe man > /usr/local/share/man/man1/resolwe.1
	resolwe man | man -l -`
}

// Run prints the page.
func (*manCmd) Run(e *environment, k *kong.Kong) error {
	return e.results(func(w io.Writer) error { return manual.Write(w, k.Model) })
}
