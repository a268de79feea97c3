package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const good = "copper lantern over seven hills"

// serial makes names and networks unique over all tests.
var serial atomic.Int64

func fresh(name string) string { return fmt.Sprintf("%s%d@x.test", name, serial.Add(1)) }

// browser is a client in a network of its own.
type browser struct {
	*place
	cookies   map[string]string
	transport *http.Transport
}

func (p *place) browser() *browser {
	dialer := newNetwork()
	b := &browser{place: p, cookies: map[string]string{}, transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, p.listen)
		},
		DisableCompression: true,
	}}
	p.Cleanup(b.transport.CloseIdleConnections)
	return b
}

// newNetwork returns a dialer with an unused address.
func newNetwork() *net.Dialer {
	n := serial.Add(1)
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, byte(1+n>>16&0x7f), byte(n>>8), byte(n))}}
}

// close closes the connections before the test ends.
func (b *browser) close() { b.transport.CloseIdleConnections() }

type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request with an optional JSON body. An error comes from the
// network.
func (b *browser) do(method, target string, body map[string]string) (answer, error) {
	if body == nil {
		return b.send(method, target, "", "")
	}
	raw, _ := json.Marshal(body)
	return b.send(method, target, "application/json", string(raw))
}

func (b *browser) send(method, target, contentType, text string) (answer, error) {
	r, err := http.NewRequest(method, b.origin+target, strings.NewReader(text))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Origin", b.origin)
	if !strings.HasPrefix(target, "/auth/api/") {
		r.Header.Set("Accept", "text/html")
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := b.transport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	for _, c := range resp.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	return answer{resp.StatusCode, resp.Header, string(data)}, nil
}

func (b *browser) post(operation string, body map[string]string) (answer, error) {
	return b.do("POST", "/auth/api/"+operation, body)
}

// must is post that requires status 200. It tries again after a 503, because a
// busy machine may answer so.
func (b *browser) must(operation string, body map[string]string) answer {
	b.Helper()
	a, err := b.post(operation, body)
	for began := time.Now(); err == nil && a.status == 503 && time.Since(began) < 20*time.Second; {
		time.Sleep(100 * time.Millisecond)
		a, err = b.post(operation, body)
	}
	if err != nil || a.status != 200 {
		b.Fatalf("%s: %v %d %s", operation, err, a.status, a.body)
	}
	return a
}

// next returns the URL of the next step and the flow in it.
func (a answer) next() (target, flow string) {
	var body struct{ Next string }
	_ = json.Unmarshal([]byte(a.body), &body)
	if u, err := url.Parse(body.Next); err == nil {
		flow = u.Query().Get("flow")
	}
	return body.Next, flow
}

func (a answer) code() string {
	var p struct{ Code string }
	_ = json.Unmarshal([]byte(a.body), &p)
	return p.Code
}

// whoami reports whether the browser is signed in.
func (b *browser) whoami() bool {
	a, err := b.do("GET", "/auth/api/session", nil)
	return err == nil && a.status == 200
}

// begin signs up and returns the flow, or "" if the sign-up was not
// acknowledged.
func (b *browser) begin(address string) string {
	a, err := b.post("signup", map[string]string{"email": address, "password": good, "confirm_password": good})
	if err != nil || a.status != 200 {
		return ""
	}
	_, flow := a.next()
	return flow
}

// register creates an account.
func (b *browser) register(address string) {
	b.Helper()
	_, flow := b.must("signup", map[string]string{"email": address, "password": good, "confirm_password": good}).next()
	b.must("verify-code", map[string]string{"flow": flow, "code": b.mail.code(address, 20*time.Second)})
}

// percentile returns a percentile of a sorted list.
func percentile(list []time.Duration, p int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
