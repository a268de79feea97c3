package gateway

import (
	"net/http"
	"strings"
)

// keepToUser lets only the browser keep what an app has answered to a user. A cache in front of Portico answers others
// without asking, and many caches also keep what an app says nothing about, by the end of the path.
func keepToUser(h http.Header) {
	for name := range h {
		if strings.HasSuffix(name, "Cdn-Cache-Control") {
			delete(h, name)
		}
	}
	for _, name := range []string{"Surrogate-Control", "Edge-Control", "X-Accel-Expires", "X-Litespeed-Cache-Control"} {
		delete(h, name) // caches believe it before Cache-Control
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = onlyBrowser
		return
	}
	kept := "private"
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h["Cache-Control"], ",")), ",") {
		directive = strings.TrimSpace(directive)
		switch name, _, _ := strings.Cut(directive, "="); name {
		case "no-store", "no-cache", "must-revalidate", "immutable", "no-transform": // no-cache with a list of fields becomes stricter
			kept += ", " + name
		case "max-age", "stale-while-revalidate", "stale-if-error":
			if !strings.Contains(directive, `"`) { // part of a list of fields
				kept += ", " + directive
			}
		}
	}
	h["Cache-Control"] = []string{kept}
}

// onlyBrowser is shared, and has no spare capacity.
var onlyBrowser = []string{"private"}
