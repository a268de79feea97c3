package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"portico/internal/locale"
	"portico/internal/server"
)

// The page with a ticket submits itself. Without script, the visitor presses a
// button.
const (
	handOverScript = `document.forms[0].submit()`
	handOverStyle  = `body{display:grid;place-items:center;min-height:100vh;min-height:100dvh;margin:0;padding:0 1rem;background:#f3f5f8;color:#0f172a;font:1rem/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-align:center}button{padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#1a4ab8;color:#fff;font:inherit;font-weight:600;cursor:pointer}`
)

var handOverPage = template.Must(template.New("handover").Parse(`<!doctype html>
<html lang="{{.Locale}}"{{if .RTL}} dir="rtl"{{end}}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Words}}</title><style>` + handOverStyle + `</style></head>
<body><main><noscript><p>{{.Lead}}</p></noscript><form method="post" action="{{.Action}}"><input type="hidden" name="ticket" value="{{.Form.Ticket}}"><input type="hidden" name="to" value="{{.Form.To}}"><button>{{.Words}}</button></form></main><script>` + handOverScript + `</script></body></html>
`))

// handOverPolicy has no form-action, because Chromium also applies it to all
// redirects after the form.
func handOverPolicy() string {
	return strings.Join([]string{
		"default-src 'none'", "script-src " + hashSource(handOverScript), "style-src " + hashSource(handOverStyle),
		"base-uri 'none'", "frame-ancestors 'none'", "report-uri " + server.ReportPath,
	}, "; ")
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// handOver sends a ticket to the host of an app in the body of a form, so that
// it is in no URL, history or log.
func (g *Gateway) handOver(w http.ResponseWriter, r *http.Request, host string, form ticketForm) error {
	loc, name := g.actions.Locale(w, r), map[string]string{"host": host}
	server.SetPolicy(w, handOverPolicy())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	return handOverPage.Execute(w, map[string]any{
		"Locale": loc, "RTL": locale.RightToLeft(loc), "Action": g.originOf(host) + arrivePath, "Form": form,
		"Words": g.actions.Catalogue.Text(loc, "crossing.continue", name),
		"Lead":  g.actions.Catalogue.Text(loc, "crossing.lead", name),
	})
}
