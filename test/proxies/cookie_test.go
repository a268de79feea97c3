package proxies

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// purposes are the parts of our cookies' names after "portico-". The last one
// belongs to another app: the gateway would accept this app's own
// (turn_test.go).
var purposes = []string{"session", "browser", "device", "link", "provider", "crossing", "ticket", "user-shop"}

// lookalikes are cookies of an app that resemble ours.
var lookalikes = []string{
	"zportico-session=1", "my-portico-x=2", "x__Host-portico-link=3", "__Host-my-portico-link=4", "__Host-app=5", "porticos=6",
	"app=portico-link=7", "a=b portico-link=8", "portico_link=9", "quoted=\"portico-link\"", "__Secure-app=10", "last=11",
}

// An app that gets a cookie of ours could sign in as its visitor, or use a link
// that was emailed to them.
func hiddenCookies(t *testing.T, p *place) {
	for _, purpose := range purposes {
		for _, prefix := range []string{"__Host-", "__Secure-", "", "__host-"} {
			own := prefix + "portico-" + purpose + "=secret"
			for _, cookies := range [][]string{
				{own}, {own, own}, {own, "a=1"}, {"a=1", own}, {"a=1", own, "b=2"}, {"a=1", own, own, "b=2"},
				{own, own, "a=1", "b=2", own, "c=3", own},
			} {
				checkCookies(t, p, strings.Join(cookies, "; "), without(cookies, own))
			}
		}
	}
	var mixed []string
	for i, other := range lookalikes {
		mixed = append(mixed, other)
		if i < len(purposes) {
			mixed = append(mixed, "__Host-portico-"+purposes[i]+"=secret")
		}
	}
	for _, separator := range []string{"; ", ";"} {
		checkCookies(t, p, strings.Join(mixed, separator), lookalikes)
	}
	checkCookies(t, p, strings.Join(lookalikes, "; "), lookalikes)
	if e, ok := p.visitor().get("/public/x", script...).echoed(); !ok || e.Header["Cookie"] != nil {
		t.Errorf("without cookies the app gets %q", e.Header["Cookie"])
	}
	many := append(slices.Repeat([]string{"a=1"}, 600), "long="+strings.Repeat("x", 3000))
	checkCookies(t, p, "__Host-portico-link=secret; "+strings.Join(many, "; ")+"; portico-link=secret", many)
}

// A sibling host plants cookies under our names, or a client sends a second
// Cookie header. Our cookies still stay hidden, and the app gets all of its
// own.
func plantedCookies(t *testing.T, p *place) {
	var cookies []string
	for i := range 250 {
		cookies = append(cookies, fmt.Sprintf("portico-%d=secret", i), fmt.Sprintf("a%d=1", i))
	}
	got, ok := cookiesAtApp(t, p, strings.Join(append(cookies, "__Host-portico-link=secret"), "; "))
	if !ok || !slices.Contains(got, "a0=1") || strings.Contains(strings.Join(got, ";"), "secret") {
		t.Errorf("the app gets %q", got)
	}
	got, ok = cookiesAtApp(t, p, "portico-link=secret; a=1; portico-link=secret\r\nCookie: portico-link=secret; b=2;\tportico-link=secret")
	if !ok || !slices.Equal(got, []string{"a=1", "b=2"}) {
		t.Errorf("of two lines the app gets %q, want its own of both", got)
	}
}

func checkCookies(t *testing.T, p *place, line string, want []string) {
	t.Helper()
	if got, ok := cookiesAtApp(t, p, line); !ok || !slices.Equal(got, want) {
		t.Errorf("of %q the app gets %q, want %q", line, got, want)
	}
}

// cookiesAtApp sends cookies to a public page and returns the cookies that the
// app gets.
func cookiesAtApp(t *testing.T, p *place, line string) (cookies []string, ok bool) {
	t.Helper()
	e, ok := p.visitor().get("/public/x", append(script, "Cookie: "+line)...).echoed()
	if header := strings.Join(e.Header["Cookie"], ";"); header != "" {
		for pair := range strings.SplitSeq(header, ";") {
			cookies = append(cookies, strings.TrimSpace(pair))
		}
	}
	return cookies, ok
}

func without(cookies []string, own string) []string {
	return slices.DeleteFunc(slices.Clone(cookies), func(c string) bool { return c == own })
}
