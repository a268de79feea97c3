package cli

import (
	"runtime/debug"
	"strings"

	"portico/internal/app"
	"portico/internal/notices"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (versionCmd) Help() string { return "Example:\n  portico version --json" }

func (c versionCmd) Run(s *session) error {
	return s.print(c.JSON, build(), build().String())
}

// The linker sets these. version is the tag of a release: the Go command itself
// knows no tag above v1 for a module path without the number. revision and date
// are of the commit, for a build without its repository (Dockerfile).
var (
	version  = "devel"
	revision = "unknown"
	date     = "unknown"
)

// build returns the version, and the commit that the Go command recorded in this
// binary or the linker set.
func build() app.Build {
	b := app.Build{Version: version, Revision: revision, Date: date}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	for _, set := range info.Settings {
		switch set.Key {
		case "vcs.revision":
			b.Revision = set.Value
		case "vcs.time":
			b.Date = set.Value
		}
	}
	return b
}

type licensesCmd struct{}

func (licensesCmd) Help() string { return "Example:\n  portico licenses | less" }

func (licensesCmd) Run(s *session) error {
	return s.print(false, nil, strings.Split(strings.TrimSuffix(notices.Text(), "\n"), "\n")...)
}
