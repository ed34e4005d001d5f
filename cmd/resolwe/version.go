package main

import (
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

type versionCmd struct{}

// Run prints the version.
func (*versionCmd) Run(e *environment) error { return e.text(versionText()) }

// versionFlag prints the version instead of running a command.
type versionFlag bool

// BeforeReset prints the version, whatever else the command line lacks.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, err := io.WriteString(k.Stdout, versionText())
	k.Exit(0)
	return err
}

// versionText is the version and the platform that the program was built for, with the minimum level of the processor if the build
// recorded it.
func versionText() string {
	text := thisVersion() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if level := buildSetting("GO" + strings.ToUpper(runtime.GOARCH)); level != "" {
		text += " " + level
	}
	return text + "\n"
}

// buildSetting returns a setting that the build of this program recorded, or "".
func buildSetting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// thisVersion returns module version, commit and compiler of the program that runs, as far as the build recorded them.
func thisVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "resolwe, version unknown"
	}
	text := "resolwe"
	if v := info.Main.Version; v != "" {
		text += " " + v
	}
	if commit := buildSetting("vcs.revision"); commit != "" {
		text += ", commit " + commit[:min(len(commit), 12)]
		if buildSetting("vcs.modified") == "true" {
			text += " with changes"
		}
	}
	return text + ", " + info.GoVersion
}
