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

// Browser keeps cookies and submits forms as a browser without script does. It
// follows no redirect. It is not safe for concurrent use.
type Browser struct {
	*Site
	Header  http.Header // sent with every request
	cookies map[string]string
}

// Browser returns a browser without cookies.
func (s *Site) Browser() *Browser {
	return &Browser{s, http.Header{}, map[string]string{}}
}

// Page is a response.
type Page struct {
	*http.Response
	Body string
}

// Open requests a page. target is a path or an absolute URL.
func (b *Browser) Open(target string) Page {
	b.Helper()
	return b.send("GET", target, nil)
}

// Send submits a form.
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

// SignIn signs in with Password.
func (b *Browser) SignIn(address string) {
	b.Helper()
	if p := b.Send("/auth/signin", url.Values{"email": {address}, "password": {Password}}); p.StatusCode != http.StatusSeeOther {
		b.Fatalf("the sign-in is answered %d: %s", p.StatusCode, p.Body)
	}
}

// Cookie returns the value of one of Portico's cookies by its purpose, or "" if
// it is not set.
func (b *Browser) Cookie(purpose string) string { return b.cookies["portico-"+purpose] }

// SetCookie sets one of Portico's cookies.
func (b *Browser) SetCookie(purpose, value string) { b.cookies["portico-"+purpose] = value }

// Next returns the target of a redirect, or "".
func (p Page) Next() string { return p.Header.Get("Location") }

// Boot decodes the boot data of a page into a value.
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
