package server

import (
	"net/http"
	"strings"
)

// ReportPath is the path for reports of Content-Security-Policy violations.
const ReportPath = "/auth/api/csp-report"

// DocumentPolicy returns the Content-Security-Policy of one of Portico's
// documents. Scripts come from Portico's assets, and inline styles are allowed
// by hash ("sha256-..."). No form leads beyond this origin (SeeOther), so that markup
// which someone has put into a page cannot send what a visitor types elsewhere.
func DocumentPolicy(styleHashes []string) string {
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
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"object-src 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
		"report-uri " + ReportPath, // Firefox and Safari support only this one
		"report-to csp",
	}, "; ")
}

// SetPolicy sets the Content-Security-Policy of a document.
func SetPolicy(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Reporting-Endpoints", `csp="`+ReportPath+`"`)
}
