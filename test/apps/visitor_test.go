package apps

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// visitor is a browser without script. Apps are on 127.0.0.1 and Portico on
// localhost, so that their cookies are apart.
type visitor struct {
	*testing.T
	http   *http.Client
	signed int // how often it signed in
}

func newVisitor(t *testing.T) *visitor {
	jar, _ := cookiejar.New(nil)
	return &visitor{T: t, http: &http.Client{Jar: jar}}
}

// open visits a URL like a link. It signs in where it is asked to, presses the only
// button of a page that says so, and returns the text and the URL of the page at the end.
func (v *visitor) open(target string) (text, at string) {
	v.Helper()
	r, err := http.NewRequest(http.MethodGet, target, nil)
	for range 10 {
		if err != nil {
			v.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		answer, fail := v.http.Do(r)
		if fail != nil {
			v.Fatal(fail)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		text, at = string(body), answer.Request.URL.String()
		page, _ := html.Parse(strings.NewReader(text))
		form := v.form(page)
		if form == nil || answer.StatusCode >= 500 {
			return text, at
		}
		action, _ := answer.Request.URL.Parse(attribute(form, "action"))
		r, err = http.NewRequest(http.MethodPost, action.String(), strings.NewReader(v.fields(form).Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", answer.Request.URL.Scheme+"://"+answer.Request.URL.Host)
	}
	v.Fatalf("too many pages, the last at %s", at)
	return "", ""
}

// form returns the form that leads on: it has a password, asks whether to sign out, or is the button of
// Auth.js.
func (v *visitor) form(page *html.Node) *html.Node {
	for n := range page.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" || !strings.EqualFold(attribute(n, "method"), "post") {
			continue
		}
		if v.fields(n).Has("password") {
			v.signed++
			return n
		}
		if strings.HasSuffix(attribute(n, "action"), "/signin/portico") || strings.HasSuffix(attribute(n, "action"), "/sign-out") || strings.Contains(attribute(n, "action"), "/openid/logout") {
			return n
		}
	}
	return nil
}

func (v *visitor) fields(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		if n.Type != html.ElementNode || n.Data != "input" && n.Data != "button" {
			continue
		}
		switch field := attribute(n, "name"); field {
		case "":
		case "email":
			values.Set(field, address)
		case "password":
			values.Set(field, password)
		default:
			if n.Data == "input" && attribute(n, "type") == "hidden" {
				values.Set(field, attribute(n, "value"))
			}
		}
	}
	return values
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// sees opens a URL and expects texts on the page at the end.
func (v *visitor) sees(target string, wants ...string) string {
	v.Helper()
	text, at := v.open(target)
	for _, want := range wants {
		if !strings.Contains(text, want) {
			v.Fatalf("%s ends at %s without %q:\n%.2000s", target, at, want, text)
		}
	}
	return text
}
