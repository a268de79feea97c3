package server

import (
	"net/http"
	"strings"
)

// ReportPath is where browsers send violations of a content policy.
const ReportPath = "/auth/api/csp-report"

// DocumentPolicy returns the content policy of a document of ours. Its one
// inline style is allowed by hash ("sha256-..."); scripts come from our
// assets; formActions are the origins other than ours that a form of the
// document may lead to, redirects included.
func DocumentPolicy(styleHashes []string, formActions ...string) string {
	style := "'none'"
	if len(styleHashes) > 0 {
		style = "'" + strings.Join(styleHashes, "' '") + "'"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src " + style,
		"img-src 'self' data:",
		"connect-src 'self'",
		"font-src 'self'",
		"form-action " + strings.Join(append([]string{"'self'"}, formActions...), " "),
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"object-src 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
		"report-uri " + ReportPath, // Firefox and Safari know only this one
		"report-to csp",
	}, "; ")
}

// SetPolicy makes the answer a document with the content policy.
func SetPolicy(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Reporting-Endpoints", `csp="`+ReportPath+`"`)
}
