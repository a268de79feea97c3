package server

import (
	"net/http"
	"strings"
)

// ReportPath is the path for reports of Content-Security-Policy violations.
const ReportPath = "/auth/api/csp-report"

// DocumentPolicy returns the Content-Security-Policy of one of Portico's
// documents. Scripts come from Portico's assets, and inline styles are allowed
// by hash ("sha256-..."). formActions are other origins that a form may lead
// to, including redirects.
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
		"report-uri " + ReportPath, // Firefox and Safari support only this one
		"report-to csp",
	}, "; ")
}

// WithFormAction returns the policy of a document whose form may also lead to a source,
// "" for none.
func WithFormAction(policy, source string) string {
	if source == "" {
		return policy
	}
	return strings.Replace(policy, "form-action 'self'", "form-action 'self' "+source, 1)
}

// SetPolicy sets the Content-Security-Policy of a document.
func SetPolicy(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Reporting-Endpoints", `csp="`+ReportPath+`"`)
}
