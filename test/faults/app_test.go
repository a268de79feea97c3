package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

// sickApp is an app whose raw responses a test chooses.
type sickApp struct {
	listen string
	mu     sync.Mutex
	answer func(net.Conn, *http.Request)
	conns  []net.Conn
	server net.Listener
}

func newSickApp(t *testing.T) *sickApp {
	a := &sickApp{listen: freePort(t), answer: isWell}
	a.up(t)
	t.Cleanup(a.down)
	return a
}

func (a *sickApp) up(t *testing.T) {
	t.Helper()
	l, err := listen(a.listen)
	if err != nil {
		t.Fatal(err)
	}
	a.server = l
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			a.mu.Lock()
			a.conns = append(a.conns, c)
			a.mu.Unlock()
			go a.serve(c)
		}
	}()
}

// down closes it as a crash does.
func (a *sickApp) down() {
	_ = a.server.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.conns {
		_ = c.Close()
	}
	a.conns = nil
}

func (a *sickApp) be(answer func(net.Conn, *http.Request)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = answer
}

func (a *sickApp) serve(c net.Conn) {
	defer c.Close()
	for in := bufio.NewReader(c); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		a.mu.Lock()
		answer := a.answer
		a.mu.Unlock()
		answer(c, r)
	}
}

func isWell(c net.Conn, r *http.Request) {
	body := "well"
	if r.Method == http.MethodHead {
		body = ""
	}
	_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n%s", body)
}

func saysNothing(net.Conn, *http.Request) { select {} }

func hangsUp(c net.Conn, _ *http.Request) { _ = c.Close() }

// pours sends the same bytes until the client closes the connection.
func pours(head, rest string) func(net.Conn, *http.Request) {
	rest = strings.Repeat(rest, 1+(64<<10)/len(rest))
	return func(c net.Conn, _ *http.Request) {
		_, err := io.WriteString(c, head)
		for err == nil {
			_, err = io.WriteString(c, rest)
		}
	}
}

// behindTheDoor starts an installation with a sick app and a healthy one behind
// the gateway.
func behindTheDoor(t *testing.T) (*process, *sickApp) {
	sick, well := newSickApp(t), newSickApp(t)
	p := newPlace(t, newSink(t))
	var file strings.Builder
	for name, a := range map[string]*sickApp{"sick": sick, "well": well} {
		fmt.Fprintf(&file, "[[app]]\nname = %q\npath = %q\nupstream = %q\nrules = [%q]\n", name, "/"+name, "http://"+a.listen, "public /"+name+"/*")
	}
	if err := os.WriteFile(filepath.Join(p.dir, "portico.toml"), []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.serve(), sick
}

// isUp reports whether the metrics say that the sick app answers.
func (p *place) isUp() bool {
	resp, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return strings.Contains(string(text), "\nportico_app_up{app=\"sick\"} 1\n")
}

// visitSick lets eight visitors request the sick app at once. Each must get the
// status want, or 504 for 502: whoever still waits when a check finds the app down
// has got no answer. It returns how long the slowest waited.
func (p *place) visitSick(name string, want int) (slowest time.Duration) {
	p.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		group.Go(func() {
			b := p.browser()
			defer b.close()
			began := time.Now()
			kind := []string{"text/html", "application/problem+json"}[i%2] // a browser, a script
			r, _ := http.NewRequest("GET", p.origin+"/sick/x", nil)
			r.Header.Set("Accept", kind)
			a, err := b.transport.RoundTrip(r)
			mu.Lock()
			slowest = max(slowest, time.Since(began))
			mu.Unlock()
			if err != nil {
				p.Errorf("%s: %v", name, err)
				return
			}
			defer a.Body.Close()
			status := a.StatusCode
			if want == http.StatusBadGateway && status == http.StatusGatewayTimeout {
				status = want
			}
			if got := a.Header.Get("Content-Type"); status != want || want != http.StatusOK && !strings.HasPrefix(got, kind) {
				p.Errorf("%s: status %d, %s; want %d, %s", name, a.StatusCode, got, want, kind)
			}
		})
	}
	group.Wait()
	return slowest
}

// An app is away, hangs, breaks off or sends without end. Its visitors get an
// error within seconds, and at once while the fault lasts. The other app, the
// screens and the memory are not affected.
func TestFLT08_AppMisbehaves(t *testing.T) {
	announce(t)
	measures(t)
	r, sick := behindTheDoor(t)
	p := r.place
	me := p.browser()
	me.must("signin", map[string]string{"email": p.registered(), "password": good})
	r.settled()
	quiet := sessionChecks(me, 300*time.Millisecond, nil)
	base, _ := r.rss()
	r.resetPeak()
	for _, fault := range []struct {
		name string
		be   func(net.Conn, *http.Request)
		want int
	}{
		{"hangs up", hangsUp, http.StatusBadGateway},
		{"no answer", saysNothing, http.StatusGatewayTimeout},
		{"endless header", pours("HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("x", 1000)+"\r\n"), http.StatusBadGateway},
		{"endless interim answers", pours("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), http.StatusBadGateway},
		{"no header", pours("", "\x00\xff garbage"), http.StatusBadGateway},
		{"away", nil, http.StatusBadGateway},
	} {
		if sick.be(fault.be); fault.be == nil {
			sick.down()
		}
		slowest := p.visitSick(fault.name, fault.want)
		if slowest > testform.Limit(7*time.Second) {
			t.Errorf("%s: the slowest visitor waited %v", fault.name, slowest)
		}
		if !eventually(testform.Patience, func() bool { return !p.isUp() }) {
			t.Errorf("%s: the metrics do not say that the app is down", fault.name)
		}
		again := p.visitSick(fault.name+", known", fault.want)
		during := sessionChecks(me, 300*time.Millisecond, nil)
		if a, err := me.send("GET", "/well/x", "", ""); err != nil || a.body != "well" {
			t.Errorf("%s: the other app answers %d, %v", fault.name, a.status, err)
		}
		if a, err := me.send("GET", "/auth/account", "", ""); err != nil || a.status != http.StatusOK {
			t.Errorf("%s: a screen answers %d, %v", fault.name, a.status, err)
		}
		if fault.be == nil {
			sick.up(t)
		}
		sick.be(isWell)
		began := time.Now()
		if !eventually(testform.Patience, p.isUp) {
			t.Errorf("%s: the app is well, and Portico takes it for down", fault.name)
		}
		t.Logf("FLT-08: %s: the slowest of 8 got an error after %v, and after %v once the fault was known; back after %v; session check p50 %v before, %v during", fault.name,
			slowest.Round(time.Millisecond), again.Round(time.Millisecond), time.Since(began).Round(time.Millisecond), percentile(quiet, 50), percentile(during, 50))
		p.visitSick(fault.name+", over", http.StatusOK)
	}
	_, peak := r.rss()
	t.Logf("FLT-08: apps: RSS %d MiB before, peak %d MiB", base, peak)
	if peak > base+128 { // the apps send gigabytes
		t.Errorf("the memory grew from %d to %d MiB", base, peak)
	}
	if !eventually(testform.Patience, func() bool { return strings.Count(r.log.String(), `"an app responds again"`) == 6 }) {
		t.Errorf("the log does not say 6 times that the app answers again:\n%s", r.log)
	}
}

// Error responses of an app are passed on unchanged. A page that takes longer
// than the allowed silence is awaited while the app answers other requests.
func TestFLT08_AppIsSlowOrSick(t *testing.T) {
	announce(t)
	t.Parallel()
	r, sick := behindTheDoor(t)
	b := r.browser()
	sick.be(func(c net.Conn, r *http.Request) {
		switch {
		case r.URL.Path == "/sick/slow":
			time.Sleep(8 * time.Second) // longer than the allowed silence
			isWell(c, r)
		case r.URL.Path == "/sick/half":
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			_ = c.Close()
		case r.URL.Path == "/sick/endless":
			pours("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", "x")(c, r)
		default:
			_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
		}
	})
	slow := make(chan string, 1)
	go func() {
		a, err := r.browser().send("GET", "/sick/slow", "", "")
		slow <- fmt.Sprint(a.status, a.body, err)
	}()
	for range 10 {
		if a, err := b.send("GET", "/sick/broken", "", ""); err != nil || a.status != http.StatusServiceUnavailable || a.body != "" {
			t.Fatalf("the app's own answer is %d %.80q, %v", a.status, a.body, err)
		}
		if _, err := b.send("GET", "/sick/half", "", ""); err == nil {
			t.Error("half a response looks complete")
		}
		c, err := newNetwork().Dial("tcp", r.listen)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(c, "GET /sick/endless HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(r.origin, "http://"))
		if _, err := io.CopyN(io.Discard, c, 1<<20); err != nil {
			t.Errorf("an endless answer ends: %v", err)
		}
		_ = c.Close()
	}
	if got := <-slow; got != "200well<nil>" {
		t.Errorf("a slow page gets %s", got)
	}
	if !r.isUp() {
		t.Error("an app that answers is taken for down")
	}
}
