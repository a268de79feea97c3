package security

import (
	"net/http"
	"net/url"
	"testing"

	"portico/internal/config"
)

// A stream with the cookie of a user, and one of nobody, end when their path belongs to another app, whose rules would judge them.
func TestSEC484_AStreamOfAnAppThatIsThereNoMore(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newStreamApp(t)
	another := *app.upstream
	another.Host = "another.test"
	serves := func(name string, upstream *url.URL) option {
		return func(c *config.Config) {
			c.Apps = []config.App{{Name: name, Path: "/tools", Upstream: upstream, Rules: []string{"public /tools/*"}, Key: "app.1"}}
		}
	}
	s := start(t, serves("former", app.upstream))
	for who, v := range map[string]*visitor{"a user": s.visitor().register(fresh("v")), "nobody": s.visitor()} {
		s.follows(serves("former", app.upstream))
		if app.outlives(v, "/tools/stream", http.Header{}, func() { s.follows(serves("other", &another)) }) {
			t.Errorf("%s: the stream goes on", who)
		}
	}
}
