package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type shellCmd struct {
	Shell string   `arg:"" help:"One of ${enum}; or words, which the scripts call." enum:"bash,zsh,fish,words"`
	Words []string `arg:"" optional:"" help:"After --: the line so far."`
}

func (*shellCmd) Help() string {
	return `Prints a script with which a shell completes commands, flags and their values.

Examples:

	resolwe completion bash > /etc/bash_completion.d/resolwe
	resolwe completion zsh > "${fpath[1]}/_resolwe"
	resolwe completion fish > ~/.config/fish/completions/resolwe.fish`
}

// completions are the scripts. They offer files if nothing else is known; zsh runs the script of bash.
var completions = map[string]string{
	"bash": `_resolwe() {
	local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]}
	if [ "$cur" = "=" ]; then cur=""; fi
	COMPREPLY=($(compgen -W "$(resolwe completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$cur"))
}
complete -o default -F _resolwe resolwe
`,
	"fish": `function __resolwe
	set -l line (commandline -opc) (commandline -ct)
	set -l words (resolwe completion words -- $line[2..-1] 2>/dev/null)
	if test -n "$words"
		printf '%s\n' $words
	else
		__fish_complete_path $line[-1]
	end
end
complete -c resolwe -f -a '(__resolwe)'
`,
}

// Run prints the script, or the words.
func (c *shellCmd) Run(e *environment, k *kong.Kong) error {
	switch c.Shell {
	case "words":
		return e.text(strings.Join(append(words(k.Model, c.Words), ""), "\n"))
	case "zsh":
		return e.text("#compdef resolwe\nautoload -U +X bashcompinit && bashcompinit\n" + completions["bash"])
	}
	return e.text(completions[c.Shell])
}

// words lists the possible completions of the last word of a line, each followed by a tab and its description.
func words(app *kong.Application, line []string) (out []string) {
	if len(line) == 0 {
		line = []string{""}
	}
	node, before := app.Node, ""
	for _, w := range line[:len(line)-1] {
		if i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == w }); i >= 0 {
			node = node.Children[i]
		}
		if w != "=" {
			before = w
		}
	}
	last := line[len(line)-1]
	flags := slices.Concat(node.AllFlags(true)...)
	for _, f := range flags {
		if !f.IsBool() && (before == "--"+f.Name || f.Short != 0 && before == "-"+string(f.Short)) {
			return values(f.Value)
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, f := range flags {
			out = append(out, "--"+f.Name+"\t"+f.Help)
		}
		return out
	}
	for _, child := range node.Children {
		out = append(out, child.Name+"\t"+child.Help)
	}
	for _, arg := range node.Positional {
		out = append(out, values(arg)...)
	}
	return out
}

// values returns the values of an enumeration, none for other values.
func values(v *kong.Value) []string {
	return strings.FieldsFunc(v.Enum, func(r rune) bool { return r == ',' })
}
