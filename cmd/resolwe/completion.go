package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type shellCmd struct {
	Shell string `arg:"" help:"One of ${enum}." enum:"bash,zsh,fish"`
}

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
	var b strings.Builder
	switch c.Shell {
	case "fish":
		fish(&b, k.Model)
	case "zsh": // it runs scripts of bash
		b.WriteString("#compdef " + k.Model.Name + "\nautoload -U +X bashcompinit && bashcompinit\n")
		fallthrough
	default:
		bash(&b, k.Model)
	}
	return e.text(b.String())
}

// command is a command, or the program itself, with its flags, those of all commands too.
type command struct {
	*kong.Node
	path  string // " bench select", "" of the program
	flags []*kong.Flag
}

// commands returns a command and all that it has.
func commands(node *kong.Node, path string) []command {
	all := append(make([]command, 0, 1+len(node.Children)), command{node, path, slices.Concat(node.AllFlags(true)...)})
	for _, child := range node.Children {
		all = append(all, commands(child, path+" "+child.Name)...)
	}
	return all
}

// values returns the values of an enumeration, none for other values.
func values(v *kong.Value) []string {
	return strings.FieldsFunc(v.Enum, func(r rune) bool { return r == ',' })
}

// bash writes a function that finds the command by the words so far, and offers files where nothing else is known.
func bash(b *strings.Builder, app *kong.Application) {
	all := commands(app.Node, "")
	fmt.Fprintf(b, `_%[1]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command="" words="" i
	if [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
	if [ "$cur" = "=" ]; then cur=""; fi
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$command ${COMP_WORDS[i]}" in
`, app.Name)
	for _, c := range all[1:] {
		fmt.Fprintf(b, "\t\t%q) command=%q ;;\n", c.path, c.path)
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$command $prev\" in\n")
	for _, c := range all {
		for _, f := range c.flags {
			names := []string{"--" + f.Name}
			if f.Short != 0 {
				names = append(names, "-"+string(f.Short))
			}
			for _, name := range names {
				if !f.IsBool() {
					fmt.Fprintf(b, "\t%q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", c.path+" "+name, strings.Join(values(f.Value), " "))
				}
			}
		}
	}
	b.WriteString("\tesac\n\tcase \"$command\" in\n")
	for _, c := range all {
		var words, flags strings.Builder
		for _, child := range c.Children {
			words.WriteString(" " + child.Name)
		}
		for _, arg := range c.Positional {
			for _, value := range values(arg) {
				words.WriteString(" " + value)
			}
		}
		for _, f := range c.flags {
			flags.WriteString(" --" + f.Name)
		}
		fmt.Fprintf(b, "\t%q) words=%q; if [ \"${cur:0:1}\" = - ]; then words=%q; fi ;;\n", c.path, strings.TrimSpace(words.String()), flags.String())
	}
	fmt.Fprintf(b, "\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _%[1]s %[1]s\n", app.Name)
}

// fish writes a line for each command, and for each flag of each.
func fish(b *strings.Builder, app *kong.Application) {
	var groups []string // commands that have commands
	for _, child := range app.Children {
		if len(child.Children) > 0 {
			groups = append(groups, child.Name)
		}
	}
	quoted := func(text string) string { // as one word
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	for _, c := range commands(app.Node, "") {
		when := "__fish_use_subcommand"
		switch path := strings.Fields(c.path); {
		case len(path) > 1 || len(c.Children) > 0 && len(path) == 1:
			when = "__fish_seen_subcommand_from " + strings.Join(path, "; and __fish_seen_subcommand_from ")
		case len(path) == 1: // a command of a group may have the same name
			when = "__fish_seen_subcommand_from " + path[0] + "; and not __fish_seen_subcommand_from " + strings.Join(groups, " ")
		}
		lead := fmt.Sprintf("complete -c %s -n %s", app.Name, quoted(when))
		for _, child := range c.Children {
			fmt.Fprintf(b, "%s -a %s -d %s\n", lead, child.Name, quoted(child.Help))
		}
		for _, arg := range c.Positional {
			for _, value := range values(arg) {
				fmt.Fprintf(b, "%s -a %s\n", lead, value)
			}
		}
		for _, f := range c.flags {
			line := lead + " -l " + f.Name
			if f.Short != 0 {
				line += " -s " + string(f.Short)
			}
			if list := values(f.Value); len(list) > 0 {
				line += " -x -a " + quoted(strings.Join(list, " "))
			} else if !f.IsBool() {
				line += " -r"
			}
			fmt.Fprintf(b, "%s -d %s\n", line, quoted(f.Help))
		}
	}
}
