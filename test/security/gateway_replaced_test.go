package security

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"portico/internal/config"
)

// A stream with the cookie of a user, and one of nobody, end when their path belongs to another app, whose rules would judge them.
func TestSEC484_AStreamOfAnAppThatIsThereNoMore(t *testing.T) {
	announce(t)
	t.Parallel()
	opened, ended := make(chan string), make(chan string, 10)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		opened <- r.URL.Path
		<-r.Context().Done()
		ended <- r.URL.Path
	}))
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	another := *upstream
	another.Host = "another.test"
	serves := func(name string, upstream *url.URL) option {
		return func(c *config.Config) {
			c.Apps = []config.App{{Name: name, Path: "/tools", Upstream: upstream, Rules: []string{"public /tools/*"}, Key: "app.1"}}
		}
	}
	s := start(t, serves("former", upstream))
	for who, v := range map[string]*visitor{"a user": s.visitor().register(fresh("v")), "nobody": s.visitor()} {
		s.follows(serves("former", upstream))
		go func() { _, _ = v.try("GET", "/tools/stream", "", http.Header{"Accept": {"text/event-stream"}}) }()
		<-opened
		s.follows(serves("other", &another))
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the stream goes on", who)
		}
	}
}
