// Package notices holds the names and licenses of the software and data of
// others that the binary contains. Their licenses ask for that.
//
// The text is generated from what is really linked into the binary and bundled
// into the screens, on every system that has a release. TestText_IsCurrent in
// the folder generate fails when it is stale.
package notices

import _ "embed" // for the text

//go:generate go run ./generate

//go:embed NOTICES.txt
var text string

// Text returns the notices: a list of everything, then each license once.
func Text() string { return text }
