// Package completion writes what shells need to complete a program's commands, flags and the values that these take.
package completion

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those that there are scripts for.
const Shells = "bash,zsh,fish"

// Write writes the script of a shell, one of Shells.
func Write(w io.Writer, app *kong.Application, shell string) error {
	var b strings.Builder
	switch shell {
	case "fish":
		fish(&b, app)
	case "zsh": // it runs scripts of bash
		b.WriteString("#compdef " + app.Name + "\nautoload -U +X bashcompinit && bashcompinit\n")
		fallthrough
	default:
		bash(&b, app)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// command is a command, or the program itself, with its commands.
type command struct {
	node *kong.Node
	path string // " bench select", "" of the program
}

// commands returns the program and all its commands.
func commands(app *kong.Application) []command {
	return within(nil, app.Node, "")
}

// within appends a command and those that it has.
func within(all []command, node *kong.Node, path string) []command {
	all = append(all, command{node, path})
	for _, child := range visible(node) {
		all = within(all, child, path+" "+child.Name)
	}
	return all
}

func visible(node *kong.Node) (out []*kong.Node) {
	for _, child := range node.Children {
		if !child.Hidden {
			out = append(out, child)
		}
	}
	return out
}

// words returns what may stand for an argument: commands, and the values of enumerations.
func (c command) words() (out []string) {
	for _, child := range visible(c.node) {
		out = append(out, child.Name)
	}
	for _, arg := range c.node.Positional {
		out = append(out, values(arg)...)
	}
	return out
}

// flags returns the flags of a command, those of all commands too.
func (c command) flags() (out []*kong.Flag) {
	for _, group := range c.node.AllFlags(true) {
		out = append(out, group...)
	}
	return out
}

// values returns the values of an enumeration, none for other values.
func values(v *kong.Value) (out []string) {
	if v.Enum == "" {
		return nil
	}
	for _, value := range v.EnumSlice() {
		if value != "" {
			out = append(out, value)
		}
	}
	return out
}

// names returns how a flag may be written.
func names(f *kong.Flag) []string {
	out := []string{"--" + f.Name}
	if f.Short != 0 {
		out = append(out, "-"+string(f.Short))
	}
	return out
}

// bash writes a function that finds the command by the words so far, and offers files where nothing else is known.
func bash(b *strings.Builder, app *kong.Application) {
	all := commands(app)
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
		for _, f := range c.flags() {
			if f.IsBool() {
				continue
			}
			for _, name := range names(f) {
				fmt.Fprintf(b, "\t%q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", c.path+" "+name, strings.Join(values(f.Value), " "))
			}
		}
	}
	b.WriteString("\tesac\n\tcase \"$command\" in\n")
	for _, c := range all {
		var flags strings.Builder
		for _, f := range c.flags() {
			flags.WriteString(" --" + f.Name)
		}
		fmt.Fprintf(b, "\t%q) words=%q; if [ \"${cur:0:1}\" = - ]; then words=%q; fi ;;\n", c.path, strings.Join(c.words(), " "), flags.String())
	}
	fmt.Fprintf(b, "\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _%[1]s %[1]s\n", app.Name)
}

// fish writes a line for each command, and for each flag of each.
func fish(b *strings.Builder, app *kong.Application) {
	var groups []string // commands that have commands
	for _, child := range visible(app.Node) {
		if len(child.Children) > 0 {
			groups = append(groups, child.Name)
		}
	}
	for _, c := range commands(app) {
		when := "__fish_use_subcommand"
		switch path := strings.Fields(c.path); {
		case len(path) > 1 || len(c.node.Children) > 0 && len(path) == 1:
			when = "__fish_seen_subcommand_from " + strings.Join(path, "; and __fish_seen_subcommand_from ")
		case len(path) == 1: // a command of a group may have the same name
			when = "__fish_seen_subcommand_from " + path[0] + "; and not __fish_seen_subcommand_from " + strings.Join(groups, " ")
		}
		lead := fmt.Sprintf("complete -c %s -n %s", app.Name, quoted(when))
		for _, child := range visible(c.node) {
			fmt.Fprintf(b, "%s -a %s -d %s\n", lead, child.Name, quoted(child.Help))
		}
		for _, arg := range c.node.Positional {
			for _, value := range values(arg) {
				fmt.Fprintf(b, "%s -a %s\n", lead, value)
			}
		}
		for _, f := range c.flags() {
			line := lead + " -l " + f.Name
			if f.Short != 0 {
				line += " -s " + string(f.Short)
			}
			switch list := values(f.Value); {
			case len(list) > 0:
				line += " -x -a " + quoted(strings.Join(list, " "))
			case !f.IsBool():
				line += " -r"
			}
			fmt.Fprintf(b, "%s -d %s\n", line, quoted(f.Help))
		}
	}
}

// quoted returns text as one word of fish.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
