package server

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/locale"
)

const (
	postFormScript = `document.forms[0].submit()`
	postFormStyle  = `body{display:grid;place-items:center;min-height:100vh;min-height:100dvh;margin:0;padding:0 1rem;background:#f3f5f8;color:#0f172a;font:1rem/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-align:center}button{padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#1a4ab8;color:#fff;font:inherit;font-weight:600;cursor:pointer}`
)

var postFormPage = template.Must(template.New("postform").Parse(`<!doctype html>
<html lang="{{.Locale}}"{{if .RTL}} dir="rtl"{{end}}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Words}}</title><style>` + postFormStyle + `</style></head>
<body><main>{{with .Lead}}<noscript><p>{{.}}</p></noscript>{{end}}<form method="post" action="{{.To}}">{{range $name, $list := .Values}}{{range $list}}<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}<button>{{.Words}}</button></form></main><script>` + postFormScript + `</script></body></html>
`))

// PostForm is a page that sends values to another host in the body of a form, so that
// they are in no URL, history or log. The page submits itself. Without script, the visitor
// presses a button.
type PostForm struct {
	To     template.URL // checked by the caller: its scheme cannot run a script
	Host   string       // the name of the receiver
	Values url.Values
	Lead   bool // whether the page says that the user is signed in
}

// Write writes the page in a locale.
func (p PostForm) Write(w http.ResponseWriter, c *locale.Catalogue, loc string) error {
	name, lead := map[string]string{"host": p.Host}, ""
	if p.Lead {
		lead = c.Text(loc, "crossing.lead", name)
	}
	SetPolicy(w, postFormPolicy())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	return postFormPage.Execute(w, map[string]any{
		"Locale": loc, "RTL": locale.RightToLeft(loc), "To": p.To, "Values": map[string][]string(p.Values),
		"Words": c.Text(loc, "crossing.continue", name), "Lead": lead,
	})
}

// postFormPolicy has no form-action, because Chromium also applies it to all
// redirects after the form.
func postFormPolicy() string {
	return strings.Join([]string{
		"default-src 'none'", "script-src " + hashSource(postFormScript), "style-src " + hashSource(postFormStyle),
		"base-uri 'none'", "frame-ancestors 'none'", "report-uri " + ReportPath,
	}, "; ")
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
