package server_test

import (
	"errors"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/logtest"
	"portico/internal/server"
)

// answers returns the number of responses by route, method and class.
func (k *kit) answers() map[string]uint64 {
	counted := map[string]uint64{}
	for _, s := range k.Stats() {
		for class, n := range s.Answers {
			if n > 0 {
				counted[s.Route+" "+s.Method+" "+string(rune('0'+class))] = n
			}
		}
	}
	return counted
}

// Requests are counted by the pattern of their route. Values that clients
// invent do not add series.
func TestStats(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/api/flows/{id}", ok)
	k.Handle("POST /auth/signin", func(http.ResponseWriter, *http.Request) error { return errors.New("x") })
	k.Handle("GET /auth/panic", func(http.ResponseWriter, *http.Request) error { panic("x") })
	zero := map[string]bool{}
	for _, s := range k.Stats() {
		zero[s.Method+" "+s.Route] = s.Duration.Count == 0
	}
	if want := map[string]bool{"GET /auth/api/flows/{id}": true, "POST /auth/signin": true, "GET /auth/panic": true}; !maps.Equal(zero, want) {
		t.Errorf("before the first request there are %v, want %v", zero, want)
	}
	for _, c := range []struct{ method, target string }{
		{"GET", "/auth/api/flows/a"}, {"GET", "/auth/api/flows/b"}, {"HEAD", "/auth/api/flows/b"}, {"POST", "/auth/signin"},
		{"GET", "/auth/panic"}, {"GET", "/canary-1"}, {"GET", "/canary-2"}, {"BREW", "/canary-3"}, {"X-CANARY", "/auth/signin"},
	} {
		k.do(c.method, c.target, "", "Origin: https://"+publicHost)
	}
	k.do("GET", "/auth/signin", "", "Host: canary.test")
	want := map[string]uint64{
		"/auth/api/flows/{id} GET 2": 3, "/auth/signin POST 5": 1, "/auth/panic GET 5": 1,
		"none GET 4": 3, "none other 4": 2,
	}
	if diff := cmp.Diff(want, k.answers()); diff != "" {
		t.Errorf("the answers (-want +got):\n%s", diff)
	}
	for _, s := range k.Stats() {
		var sum uint64
		for _, n := range s.Answers {
			sum += n
		}
		if s.Duration.Count != sum || sum > 0 && s.Duration.Sum <= 0 {
			t.Errorf("%s %s: %d answers, %d durations in %v", s.Method, s.Route, sum, s.Duration.Count, s.Duration.Sum)
		}
		if strings.Contains(strings.ToLower(s.Route+s.Method), "canary") {
			t.Errorf("%s %s was named by a client", s.Method, s.Route)
		}
	}
}

// All paths of apps are one series.
func TestStats_Fallback(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Fallback(ok, server.CrossSite)
	k.do("GET", "/a", "")
	k.do("DELETE", "/b", "")
	want := map[string]uint64{"fallback GET 2": 1, "fallback DELETE 2": 1}
	if diff := cmp.Diff(want, k.answers()); diff != "" {
		t.Errorf("the answers (-want +got):\n%s", diff)
	}
}

// A WebSocket is one response with status 101. When it ends, nothing writes another one.
func TestStats_WebSocket(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Fallback(func(w http.ResponseWriter, _ *http.Request) error {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
			err = c.Close()
		}
		return err
	})
	ended, complaints := make(chan struct{}), &logtest.Buffer{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		k.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(complaints, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	r, _ := http.NewRequest(http.MethodGet, s.URL, nil)
	r.Host = publicHost
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	<-ended
	if diff := cmp.Diff(map[string]uint64{"fallback GET 1": 1}, k.answers()); diff != "" || complaints.String() != "" {
		t.Errorf("net/http says %q, and the answers (-want +got):\n%s", complaints, diff)
	}
}
