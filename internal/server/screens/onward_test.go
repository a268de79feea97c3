package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
)

// The answer to a form that leaves is a page of ours, which says where it goes on to.
func TestOnward(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config) { c.ReturnOrigins = []string{"https://app.test"} })
	s.Person("mara@example.org")
	host := strings.TrimPrefix(s.Origin, "http://")
	for target, named := range map[string]string{"https://app.test/here?a=1&b=2": "app.test", "/reports?page=2": host} {
		v := visit(s)
		v.navigates()
		sent := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {target}}
		p := v.Send("/auth/signin", sent)
		b := v.reads(p)
		if b.Screen != "leaving" || b.Next != target || !strings.Contains(b.Title, named) || b.Here != "/auth/signin" {
			t.Errorf("%q: %q to %q, and back to %q", target, b.Title, b.Next, b.Here)
		}
		if !strings.Contains(p.Body, `content="0;url=`+strings.ReplaceAll(target, "&", "&amp;")+`"`) {
			t.Errorf("%q: the page does not go on by itself: %s", target, p.Body)
		}
		if p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%q: the headers are %v", target, p.Header)
		}
		if p := v.Send("/auth/signin?flow=x", sent); p.Header.Get("Referrer-Policy") != "strict-origin" {
			t.Errorf("%q: the app reads the query of the page: %v", target, p.Header)
		}
	}
}
