package faults

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

var awayTo = regexp.MustCompile(`content="0;url=([^"]+)"`)

// signInWith goes to the provider and back, and returns where the browser ends.
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

// A provider is down, slow, sends too much or has new keys. Its button says so
// within seconds. The other provider, the screens and the memory are not
// affected.
func TestFLT08_ProviderMisbehaves(t *testing.T) {
	announce(t)
	for path, first := range map[string]int{"/.well-known/": 3, "/keys": 0, "/token": 1} {
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			measures(t)
			misbehaves(t, path, first)
		})
	}
}

// misbehaves tests all failures at a path.
func misbehaves(t *testing.T, path string, first int) {
	p := newPlace(t, newSink(t))
	sick, _ := p.offers("sick"), p.offers("well")
	r := p.serve()
	me := p.onlooker()
	p.pressed(me, "well", isIn)
	r.settled()
	base, _ := r.rss()
	r.resetPeak()
	ways := []string{"a gigabyte", "a web page", "502", "no answer"}
	for _, way := range slices.Concat(ways[first:], ways[:first]) {
		p.fails(sick, me, path, way)
	}
	_, peak := r.rss()
	t.Logf("FLT-08: %s: RSS %d MiB before, peak %d MiB", path, base, peak)
	if peak > base+rounds(200, 32) { // a reply that is read whole is a gigabyte, and a loaded machine collects garbage late
		t.Errorf("%s: the memory grew from %d to %d MiB", path, base, peak)
	}
	p.wellSoon("sick")
	if full() && path == "/keys" {
		sick.rotate()
		began := time.Now()
		p.wellSoon("sick")
		t.Logf("FLT-08: new keys are in use after %v", time.Since(began).Round(time.Second))
	}
}

// fails checks the effect of one failure at a path on the users of the button
// and on the screens. Blocks with the sick provider take turns with blocks with
// the healthy one. A document that failed to load is requested again only after
// five seconds. The full form therefore has two longer blocks. In the short
// form only the first failure reaches the provider.
func (p *place) fails(sick *provider, me *browser, path, way string) {
	p.Helper()
	name := path + " " + way
	well, ill := timing{}, timing{}
	var slowest time.Duration
	var asked []int
	for range rounds(1, blocks) {
		took, _ := p.pressed(me, "well", isIn)
		well.add(took)
		sick.be(way, path)
		took, told := p.pressed(me, "sick", isTold)
		ill.add(took)
		slowest = max(slowest, told)
		asked = append(asked, sick.be("well", "/"))
	}
	p.Logf("FLT-08: %s: the slowest user got an error after %v; in %d blocks the provider was asked %v times", name, slowest.Round(time.Millisecond), len(asked), asked)
	if slowest > testform.Limit(6*time.Second) {
		p.Errorf("%s: the slowest visitor waited %v", name, slowest)
	}
	if path != "/token" && slices.Max(asked) > 2 {
		p.Errorf("%s: each press of the button reaches the provider", name)
	}
	unmoved(p.T, name, well, ill)
}

// offers puts the button of a provider on the sign-in page.
func (p *place) offers(id string) *provider {
	p.Helper()
	one := newProvider(p.T, p.origin+"/auth/provider/"+id+"/callback")
	setting := "PORTICO_PROVIDERS_" + strings.ToUpper(id)
	p.extra = append(p.extra, setting+"_ISSUER="+one.url, setting+"_NAME="+strings.ToUpper(id), setting+"_TRUST_EMAIL=true",
		setting+"_CLIENT_ID="+providerClient, setting+"_CLIENT_SECRET="+providerSecret)
	return one
}

// pressed lets users press the button of a provider for a while: eight at once,
// then one after the other. isRight judges where each of them ends. Users of
// the other provider must sign in meanwhile. It returns the times of the
// screens and the slowest user's wait.
func (p *place) pressed(me *browser, id string, isRight func(*browser, string) bool) (took timing, slowest time.Duration) {
	p.Helper()
	var people sync.WaitGroup
	var mu sync.Mutex
	press := func(id string, isRight func(*browser, string) bool) {
		b := p.browser()
		defer b.close()
		began := time.Now()
		end, err := b.signInWith(id)
		waited := time.Since(began)
		if err != nil || !isRight(b, end) {
			p.Errorf("the button of the %s provider leads to %q, %v", id, end, err)
		}
		mu.Lock()
		defer mu.Unlock()
		slowest = max(slowest, waited)
	}
	people.Go(func() { press("well", isIn) })
	over := make(chan struct{})
	people.Go(func() {
		for range 7 {
			people.Go(func() { press(id, isRight) })
		}
		for {
			people.Go(func() { press(id, isRight) })
			select {
			case <-over:
				return
			case <-time.After(60 * time.Millisecond):
			}
		}
	})
	took = me.steadily(rounds(120, 1040))
	close(over)
	people.Wait()
	return took, slowest
}

func isIn(b *browser, _ string) bool { return b.whoami() }

// isTold reports whether the browser ended at a screen that names the failure.
func isTold(b *browser, end string) bool {
	if !strings.HasPrefix(end, "/auth/signin?failed=provider.") {
		return false
	}
	a, err := b.send("GET", end, "", "")
	return err == nil && a.status == 200 && strings.Contains(a.body, "SICK")
}

// wellSoon tries until a sign-in with the provider succeeds.
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
		p.Errorf("the button of a healthy provider leads to %q, %v", end, err)
	}
}
