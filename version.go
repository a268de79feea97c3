// Package portico has the version of the product. The newest heading of the changelog is the one place that has it.
package portico

import (
	_ "embed" // for the changelog
	"strings"
)

//go:embed CHANGELOG.md
var changelog string

// Version returns the newest version of CHANGELOG.md, such as 1.2.3.
func Version() string {
	_, newest, _ := strings.Cut(changelog, "\n## [")
	version, _, _ := strings.Cut(newest, "]")
	return version
}
