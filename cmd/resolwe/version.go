package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version.
func (*versionCmd) Run(e *environment) error {
	return e.text(thisVersion() + ", " + processor() + "\n")
}

// processor names what the program was built for, with the least level of the processor where that was chosen.
func processor() string {
	text := runtime.GOOS + "/" + runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" || s.Key == "GOARM64" {
				text += " " + s.Value
			}
		}
	}
	return text
}

// thisVersion is the version of the program that runs.
func thisVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionText(info)
}

// versionText tells module version, commit and compiler, as far as the build knows them.
func versionText(info *debug.BuildInfo) string {
	if info == nil {
		return "resolwe, version unknown"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "resolwe"
	if v := info.Main.Version; v != "" {
		text += " " + v
	}
	if commit := settings["vcs.revision"]; commit != "" {
		text += ", commit " + commit[:min(len(commit), 12)]
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s, %s", text, info.GoVersion)
}
