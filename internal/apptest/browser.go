package apptest

import (
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Browser keeps cookies, sends forms without script and follows no redirect.
type Browser struct {
	*Site
	Header  http.Header // sent with every request
	cookies map[string]string
}

// Browser returns a fresh one.
func (s *Site) Browser() *Browser {
	return &Browser{s, http.Header{}, map[string]string{}}
}

// Page is an answer.
type Page struct {
	*http.Response
	Body string
}

// Open gets a page; target is a path or an absolute URL.
func (b *Browser) Open(target string) Page {
	b.Helper()
	return b.send("GET", target, nil)
}

// Send posts a form.
func (b *Browser) Send(path string, form url.Values) Page {
	b.Helper()
	return b.send("POST", path, form)
}

func (b *Browser) send(method, target string, form url.Values) Page {
	b.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.Origin + target
	}
	r, err := http.NewRequestWithContext(b.Context(), method, target, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.Origin)
	}
	maps.Copy(r.Header, b.Header)
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range answer.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	return Page{answer, string(body)}
}

// SignIn signs in with the Password.
func (b *Browser) SignIn(address string) {
	b.Helper()
	if p := b.Send("/auth/signin", url.Values{"email": {address}, "password": {Password}}); p.StatusCode != http.StatusSeeOther {
		b.Fatalf("the sign-in is answered %d: %s", p.StatusCode, p.Body)
	}
}

// Cookie returns the value of one of our cookies by its purpose, "" without it.
func (b *Browser) Cookie(purpose string) string { return b.cookies["portico-"+purpose] }

// SetCookie puts a value into one of our cookies.
func (b *Browser) SetCookie(purpose, value string) { b.cookies["portico-"+purpose] = value }

// Next returns where a redirect leads.
func (p Page) Next() string { return p.Header.Get("Location") }

// Boot reads what the document was filled with into a value.
func (b *Browser) Boot(p Page, into any) {
	b.Helper()
	_, text, _ := strings.Cut(p.Body, `id="boot">`)
	text, _, found := strings.Cut(text, "</script>")
	if !found {
		b.Fatalf("no document is answered, but %d: %s", p.StatusCode, p.Body)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), into); err != nil {
		b.Fatal(err)
	}
}
