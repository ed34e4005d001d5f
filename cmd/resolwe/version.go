package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct{}

func (*versionCmd) Run(e *environment) error {
	info, _ := debug.ReadBuildInfo()
	return e.text(versionText(info) + ", " + processor(info) + "\n")
}

// thisVersion is the version of the program that runs.
func thisVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionText(info)
}

// processor names the platform that the program was built for, with the minimum level of the processor if the build recorded it.
func processor(info *debug.BuildInfo) string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	settings := buildSettings(info)
	if level := settings["GO"+strings.ToUpper(runtime.GOARCH)]; level != "" {
		name += " " + level
	}
	return name
}

// buildSettings returns the settings that the build recorded; empty if info is nil.
func buildSettings(info *debug.BuildInfo) map[string]string {
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return settings
}

// versionText returns module version, commit and compiler, as far as the build recorded them.
func versionText(info *debug.BuildInfo) string {
	if info == nil {
		return "resolwe, version unknown"
	}
	settings := buildSettings(info)
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
