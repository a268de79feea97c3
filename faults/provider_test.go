package faults

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/dev/idp"
)

// provider is an external identity provider that can misbehave at one path.
type provider struct {
	*httptest.Server

	mu      sync.Mutex
	healthy http.Handler
	path    string // where it misbehaves; "" for nowhere
	wrong   http.HandlerFunc
}

const providerClient, providerSecret = "portico", "at the provider"

// newProvider runs one; its address is needed before the installation's.
func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

// rotate gives it new keys.
func (p *provider) rotate(t *testing.T, callback string) {
	t.Helper()
	h, err := idp.New(idp.Config{Issuer: p.URL, ClientID: providerClient, ClientSecret: providerSecret, RedirectURI: callback, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.healthy = h
}

// be changes what it does at a path.
func (p *provider) be(path string, wrong http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.path, p.wrong = path, wrong
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	h := p.healthy
	if p.path != "" && strings.HasPrefix(r.URL.Path, p.path) {
		h = p.wrong
	}
	p.mu.Unlock()
	h.ServeHTTP(w, r)
}

func hangs(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client goes
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
}

func broken(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }

func webPage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<h1>Welcome</h1>")
}

// gigabyte never ends by itself.
func gigabyte(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	block := []byte(`{"keys":[` + strings.Repeat(" ", 1<<16))
	for range 1 << 14 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

var awayTo = regexp.MustCompile(`content="0;url=([^"]+)"`)

// signInWith goes to the provider and back, and returns where that ends.
func (b *browser) signInWith(id string) (end string, err error) {
	a, err := b.send("POST", "/auth/provider/"+id+"/start", "application/x-www-form-urlencoded", "")
	if err != nil {
		return "", err
	}
	found := awayTo.FindStringSubmatch(a.body)
	if found == nil {
		return a.header.Get("Location"), nil
	}
	to, err := url.Parse(html.UnescapeString(found[1]))
	if err != nil {
		return "", err
	}
	asked := *to
	asked.RawQuery = ""
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	chosen, err := client.PostForm(asked.String(), url.Values{"request": {to.RawQuery}, "email": {fresh("there")}, "verified": {"on"}})
	if err != nil {
		return "", err
	}
	defer chosen.Body.Close()
	back, err := url.Parse(chosen.Header.Get("Location"))
	if err != nil {
		return "", err
	}
	a, err = b.send("GET", back.RequestURI(), "", "")
	return a.header.Get("Location"), err
}

// FLT-08: a provider is down, slow, huge, or has new keys. Its button says so
// within seconds; the other one, the screens and the memory do not notice.
func TestFLT08_ProviderMisbehaves(t *testing.T) {
	for path, first := range map[string]int{"/.well-known/": 3, "/keys": 0, "/token": 1} {
		t.Run(path, func(t *testing.T) {
			measures(t)
			misbehaves(t, path, first)
		})
	}
}

// failure is a way in which a provider fails.
type failure struct {
	name string
	how  http.HandlerFunc
}

// misbehaves goes through all failures at a path. A document that could not be
// loaded is not asked for again at once, so only the first one shows itself
// there.
func misbehaves(t *testing.T, path string, first int) {
	failures := []failure{{"a gigabyte", gigabyte}, {"a web page", webPage}, {"502", broken}, {"no answer", hangs}}
	sick, well := newProvider(t), newProvider(t)
	p := newPlace(t, newSink(t))
	for id, one := range map[string]*provider{"SICK": sick, "WELL": well} {
		one.rotate(t, p.origin+"/auth/provider/"+strings.ToLower(id)+"/callback")
		setting := "PORTICO_PROVIDERS_" + id
		p.extra = append(p.extra, setting+"_ISSUER="+one.URL, setting+"_NAME="+id, setting+"_TRUST_EMAIL=true",
			setting+"_CLIENT_ID="+providerClient, setting+"_CLIENT_SECRET="+providerSecret)
	}
	r := p.serve()
	me := p.browser()
	me.must("signin", map[string]string{"email": p.registered(), "password": good})
	r.settled()
	quiet := sessionChecks(me, 300*time.Millisecond, nil)
	base, _ := r.rss()
	r.resetPeak()
	for _, wrong := range slices.Concat(failures[first:], failures[:first]) {
		sick.be(path, wrong.how)
		during := p.pressed(path+" "+wrong.name, me)
		t.Logf("FLT-08: %s %s: session check p50 %v p99 %v before, p50 %v p99 %v during", path, wrong.name,
			percentile(quiet, 50), percentile(quiet, 99), percentile(during, 50), percentile(during, 99))
		if full() && percentile(during, 99) > 2*percentile(quiet, 99)+5*time.Millisecond {
			t.Errorf("%s %s: session checks wait", path, wrong.name)
		}
	}
	_, peak := r.rss()
	t.Logf("FLT-08: %s: RSS %d MiB before, peak %d MiB", path, base, peak)
	if peak > base+rounds(64, 32) {
		t.Errorf("%s: the memory grew from %d to %d MiB", path, base, peak)
	}
	sick.be("", nil)
	p.wellSoon("sick")
	if full() {
		sick.rotate(t, p.origin+"/auth/provider/sick/callback")
		began := time.Now()
		p.wellSoon("sick")
		t.Logf("FLT-08: new keys are in use after %v", time.Since(began).Round(time.Second))
	}
}

// pressed holds what eight people see who press the button of the sick
// provider, and returns how long session checks took meanwhile.
func (p *place) pressed(name string, me *browser) (during []time.Duration) {
	p.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	var slowest time.Duration
	for range 8 {
		group.Go(func() {
			b := p.browser()
			defer b.close()
			began := time.Now()
			end, err := b.signInWith("sick")
			took := time.Since(began)
			mu.Lock()
			slowest = max(slowest, took)
			mu.Unlock()
			if err != nil || !strings.HasPrefix(end, "/auth/error?code=provider.") {
				p.Errorf("%s: it leads to %q, %v; want the screen of a provider that fails", name, end, err)
				return
			}
			if a, err := b.send("GET", end, "", ""); err != nil || a.status < 400 || !strings.Contains(a.body, "SICK") {
				p.Errorf("%s: the screen is %d, %v, and does not name the provider", name, a.status, err)
			}
		})
	}
	during = sessionChecks(me, 300*time.Millisecond, nil)
	other := p.browser()
	if end, err := other.signInWith("well"); err != nil || !other.whoami() {
		p.Errorf("%s: the other provider leads to %q, %v", name, end, err)
	}
	group.Wait()
	p.Logf("FLT-08: %s: the slowest of 8 was told after %v", name, slowest.Round(time.Millisecond))
	if slowest > 6*time.Second {
		p.Errorf("%s: somebody waited for %v", name, slowest)
	}
	return during
}

// wellSoon tries until a sign-in with the provider leads in.
func (p *place) wellSoon(id string) {
	p.Helper()
	var end string
	var err error
	if !eventually(45*time.Second, func() bool {
		b := p.browser()
		defer b.close()
		end, err = b.signInWith(id)
		return err == nil && b.whoami()
	}) {
		p.Errorf("the button of a provider that is well leads to %q, %v", end, err)
	}
}
