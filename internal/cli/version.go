package cli

import (
	"runtime/debug"
	"strings"

	"portico"
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

// The linker sets these. version is what tools/version prints. revision and date
// are of the commit, for a build where the Go command finds no repository (Makefile, Dockerfile).
var (
	version  = ""
	revision = "unknown"
	date     = "unknown"
)

// build returns the version, and the commit that the Go command recorded in this
// binary or the linker set. A plain `go build` counts no commits: its version has
// the commit alone, as in 1.2.3+0123456789ab.
func build() app.Build {
	b := app.Build{Version: version, Revision: revision, Date: date}
	if b.Version == "" {
		b.Version = portico.Version()
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	for _, set := range info.Settings {
		switch set.Key {
		case "vcs.revision":
			b.Revision = set.Value
			if version == "" && info.Main.Version != "v"+b.Version {
				b.Version += "+" + set.Value[:12]
			}
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
