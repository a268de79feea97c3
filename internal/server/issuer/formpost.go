package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/locale"
	"portico/internal/server"
)

// The page with an answer submits itself. Without script, the visitor presses a
// button.
const (
	postBackScript = `document.forms[0].submit()`
	postBackStyle  = `body{display:grid;place-items:center;min-height:100vh;min-height:100dvh;margin:0;padding:0 1rem;background:#f3f5f8;color:#0f172a;font:1rem/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-align:center}button{padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#1a4ab8;color:#fff;font:inherit;font-weight:600;cursor:pointer}`
)

var postBackPage = template.Must(template.New("postback").Parse(`<!doctype html>
<html lang="{{.Locale}}"{{if .RTL}} dir="rtl"{{end}}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Words}}</title><style>` + postBackStyle + `</style></head>
<body><main>{{with .Lead}}<noscript><p>{{.}}</p></noscript>{{end}}<form method="post" action="{{.Action}}">{{range $name, $list := .Values}}{{range $list}}<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}<button>{{.Words}}</button></form></main><script>` + postBackScript + `</script></body></html>
`))

// postBackPolicy has no form-action, because Chromium also applies it to all
// redirects after the form.
func postBackPolicy() string {
	return strings.Join([]string{
		"default-src 'none'", "script-src " + hashSource(postBackScript), "style-src " + hashSource(postBackStyle),
		"base-uri 'none'", "frame-ancestors 'none'", "report-uri " + server.ReportPath,
	}, "; ")
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// postBack sends an answer to a client in the body of a form (OAuth 2.0 Form Post
// Response Mode).
func (h *Handler) postBack(w http.ResponseWriter, r *http.Request, to string, values url.Values) error {
	loc, host := h.Actions.Locale(w, r), to
	if u, err := url.Parse(to); err == nil && u.Host != "" {
		host = u.Host
	}
	name, lead := map[string]string{"host": host}, ""
	if values.Has("code") { // an error may mean that the user is not signed in
		lead = h.Actions.Catalogue.Text(loc, "crossing.lead", name)
	}
	server.SetPolicy(w, postBackPolicy())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	return postBackPage.Execute(w, map[string]any{
		"Locale": loc, "RTL": locale.RightToLeft(loc), "Values": map[string][]string(values), "Action": template.URL(to), // registered, so its scheme is no script
		"Words": h.Actions.Catalogue.Text(loc, "crossing.continue", name),
		"Lead":  lead,
	})
}
