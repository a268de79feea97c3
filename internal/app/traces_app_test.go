package app

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/telemetry/otlp/otlptest"
)

// An app gets the span of its request as the parent, on both ways to it, and
// never a trace header that a client made up.
func TestTraces_App(t *testing.T) {
	t.Parallel()
	const theirs, sent, state = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=theirs"
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for name, c := range map[string]struct {
		off     bool
		ratio   float64
		trusted []netip.Prefix
	}{
		"off":                    {off: true},
		"of a client":            {ratio: 1},
		"of a proxy":             {ratio: 1, trusted: proxies},
		"not recorded":           {ratio: 0},
		"recorded for the proxy": {ratio: 0, trusted: proxies},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan http.Header, 8)
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/page") {
					got <- r.Header
				}
				w.WriteHeader(http.StatusTeapot)
			}))
			t.Cleanup(upstream.Close)
			collector := otlptest.New(t)
			r, _ := started(t, nil, func(cfg *config.Config) {
				cfg.App.Upstream, _ = url.Parse(upstream.URL)
				cfg.App.Rules, cfg.TrustedProxies = []string{"public /*"}, c.trusted
				if !c.off {
					cfg.Tracing.Endpoint, cfg.Tracing.SampleRatio = collector.URL, c.ratio
				}
			})
			told := map[string]string{} // by span id
			for _, ask := range []struct{ method, body string }{{"GET", ""}, {"POST", "a body takes the other way"}} {
				h := askPage(t, r, ask.method, ask.body, http.Header{"Traceparent": {sent}, "Tracestate": {state}}, got)
				parents, goesOn := h["Traceparent"], c.off || c.trusted != nil
				if len(parents) != 1 || len(parents[0]) != len(sent) || c.off && parents[0] != sent {
					t.Fatalf("%s: the app gets %q", ask.method, parents)
				}
				parts := strings.Split(parents[0], "-")
				told[parts[2]] = ask.method
				if (parts[1] == theirs) != goesOn || (h.Get("Tracestate") == state) != goesOn {
					t.Errorf("%s: the app gets %q, %q", ask.method, parents, h["Tracestate"])
				}
				if recorded := parts[3] == "01"; recorded != (goesOn || c.ratio > 0) {
					t.Errorf("%s: the app gets recorded = %v", ask.method, recorded)
				}
			}
			r.quit()
			if c.off || c.ratio == 0 && c.trusted == nil {
				return
			}
			for _, s := range collector.Spans() {
				if s.Name != "app call" {
					continue
				}
				if told[s.ID] != s.Attributes["http.request.method"] || s.Attributes["http.response.status_code"] != int64(http.StatusTeapot) || s.Failed {
					t.Errorf("the span %v differs from the parent that the app got: %v", s, told)
				}
				delete(told, s.ID)
			}
			if len(told) > 0 {
				t.Errorf("there are no spans for %v", told)
			}
		})
	}
}

// askPage requests a page of the app and returns the header that the app
// received.
func askPage(t *testing.T, r *running, method, body string, header http.Header, got <-chan http.Header) http.Header {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.public+"/page?token=canary", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	answer, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusTeapot {
		t.Fatalf("%s got status %d", method, answer.StatusCode)
	}
	return <-got
}

// If an app is down, its span is marked as failed.
func TestTraces_AppIsAway(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	away := httptest.NewServer(nil)
	away.Close()
	r, _ := started(t, nil, func(cfg *config.Config) {
		cfg.App.Upstream, _ = url.Parse(away.URL)
		cfg.App.Rules, cfg.Tracing.Endpoint = []string{"public /*"}, collector.URL
	})
	r.get(r.public + "/page")
	r.quit()
	for _, s := range collector.Spans() {
		if s.Name == "app call" {
			if !s.Failed || s.Attributes["http.response.status_code"] != nil {
				t.Errorf("the span is %v", s)
			}
			return
		}
	}
	t.Error("there is no span of the app's request")
}

// If an app breaks off its response, the span is marked as failed on both ways,
// with the status that was passed on. If the client breaks off, the span is
// not.
func TestTraces_AppBreaksOff(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}) // closed once the client has left
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 500_000)) // more than any buffer between app and client
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/left" {
			<-r.Context().Done()
			close(left)
		}
		panic(http.ErrAbortHandler)
	}))
	defer app.Close()
	collector := otlptest.New(t)
	r, _ := started(t, nil, func(cfg *config.Config) {
		cfg.App.Upstream, _ = url.Parse(app.URL)
		cfg.App.Rules, cfg.Tracing.Endpoint = []string{"public /*"}, collector.URL
	})
	for _, ask := range []struct{ method, path, body string }{{"GET", "/page", ""}, {"POST", "/page", "a body takes the other way"}, {"PUT", "/left", ""}} {
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, ask.method, r.public+ask.path, strings.NewReader(ask.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if ask.path == "/left" {
			leave()
			<-left
		}
		if _, err := io.Copy(io.Discard, answer.Body); err == nil {
			t.Errorf("%s: half an answer looks whole", ask.method)
		}
		_ = answer.Body.Close()
		leave()
	}
	r.quit()
	seen := map[string]bool{}
	for _, s := range collector.Spans() {
		if method, _ := s.Attributes["http.request.method"].(string); s.Name == "app call" {
			seen[method] = true
			if s.Failed != (method != "PUT") || s.Failed && s.Attributes["error.type"] != "app.broken_off" || s.Attributes["http.response.status_code"] != int64(http.StatusOK) {
				t.Errorf("the span is %v", s)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("there are spans of %v", seen)
	}
}
