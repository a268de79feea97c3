package server

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// maxReport is the size limit of a violation report in bytes.
const maxReport = 16 << 10

// Reports counts the policy violations that browsers report, by directive. It
// never logs a report, because anybody can send one and it quotes URLs. It is
// safe for concurrent use.
type Reports struct {
	mu     sync.Mutex
	counts map[string]uint64
}

// NewReports returns a counter at zero.
func NewReports() *Reports { return &Reports{counts: make(map[string]uint64)} }

// Mount registers the endpoint at ReportPath.
func (c *Reports) Mount(m *Mux) {
	m.Handle("POST "+ReportPath, c.receive, CrossSite, Quiet, MaxBody(maxReport))
}

// Counts returns the number of violations by directive. "other" counts all
// directives that DocumentPolicy does not use.
func (c *Reports) Counts() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// report is one violation. report-uri sends an object with the member
// "csp-report" (CSP 2), report-to an array of objects with a body (CSP 3).
type report struct {
	Legacy struct {
		Effective string `json:"effective-directive"`
		Violated  string `json:"violated-directive"`
	} `json:"csp-report"`
	Body struct {
		Effective string `json:"effectiveDirective"`
	} `json:"body"`
}

func (c *Reports) receive(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Malformed.WithCause(err)
	}
	var reports []report
	switch r.Header.Get("Content-Type") {
	case "application/csp-report":
		reports = make([]report, 1)
		err = json.Unmarshal(body, &reports[0])
	case "application/reports+json":
		err = json.Unmarshal(body, &reports)
	default:
		return errUnsupported
	}
	if err != nil {
		return Malformed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range reports {
		c.counts[directiveOf(one)]++
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// directiveOf returns a known directive or "other", so that reports cannot add
// counters.
func directiveOf(r report) string {
	known := []string{
		"script-src", "script-src-elem", "script-src-attr", "style-src", "style-src-elem", "style-src-attr", "img-src", "connect-src",
		"font-src", "form-action", "base-uri", "frame-ancestors", "object-src", "require-trusted-types-for", "trusted-types", "default-src",
	}
	for _, name := range []string{r.Body.Effective, r.Legacy.Effective, r.Legacy.Violated} {
		if slices.Contains(known, name) {
			return name
		}
	}
	return "other"
}
