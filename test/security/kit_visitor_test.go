package security

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// visitor is a browser on a network of its own. It keeps cookies and does not
// follow redirects.
type visitor struct {
	*site
	peer      string // its network address
	cookies   map[string]string
	header    http.Header // sent with every request
	transport *http.Transport
}

// visitor returns a new browser.
func (s *site) visitor() *visitor {
	n := serial.Add(1)
	return s.visitorFrom(fmt.Sprintf("127.%d.%d.%d", 1+n>>16&0x7f, n>>8&0xff, n&0xff))
}

// visitorFrom returns a browser at a loopback address.
func (s *site) visitorFrom(peer string) *visitor {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(peer)}}
	v := &visitor{
		site: s, peer: peer, cookies: map[string]string{}, header: http.Header{"Accept-Language": {"en"}},
		transport: s.browsers.add(&http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, s.addr)
			},
			TLSClientConfig:    &tls.Config{InsecureSkipVerify: true}, // the certificate is self-signed
			DisableCompression: true,
		}),
	}
	return v
}

// answer is a response and the visitor who got it.
type answer struct {
	*visitor
	status int
	header http.Header
	body   string
}

// problem is the body of a refusal (RFC 9457).
type problem struct {
	Code   string            `json:"code"`
	Params map[string]string `json:"params"`
	Fields []struct {
		Name string `json:"name"`
		Code string `json:"code"`
	} `json:"fields"`
	RetryAfter int    `json:"retry_after"`
	RequestID  string `json:"request_id"`
}

// do sends a request with the visitor's cookies. The given headers replace the
// visitor's own; an empty list removes one.
func (v *visitor) do(method, target, body string, header http.Header) *answer {
	v.Helper()
	a, err := v.try(method, target, body, header)
	if err != nil {
		v.Fatalf("%s %s: %v", method, target, err)
	}
	return a
}

// try is do for requests that may get no answer, and for goroutines.
func (v *visitor) try(method, target, body string, header http.Header) (*answer, error) {
	r, err := http.NewRequest(method, v.origin+target, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, h := range []http.Header{v.header, header} {
		for name, values := range h {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	if _, given := r.Header["Cookie"]; !given && len(v.cookies) > 0 {
		r.Header.Set("Cookie", v.cookieLine())
	}
	resp, err := v.send(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	v.trace.add(method+" "+target, "Location: "+resp.Header.Get("Location"))
	return &answer{v, resp.StatusCode, resp.Header, string(text)}, nil
}

// send sends a request, and again if the machine stood still: a server then gives up a connection
// whose request is about to come, or a request that waits for the database. Neither has had an effect.
func (v *visitor) send(r *http.Request) (*http.Response, error) {
	const still = 5 * time.Second // headerTimeout of the server
	began := time.Now()
	resp, err := v.transport.RoundTrip(r)
	switch {
	case time.Since(began) < still:
		return resp, err
	case err == nil && resp.StatusCode == http.StatusServiceUnavailable:
		_ = resp.Body.Close()
	case !errors.Is(err, io.EOF):
		return resp, err
	}
	if r.Body, err = r.GetBody(); err != nil {
		return nil, err
	}
	return v.transport.RoundTrip(r)
}

func (v *visitor) cookieLine() string {
	var pairs []string
	for name, value := range v.cookies {
		pairs = append(pairs, name+"="+value)
	}
	return strings.Join(pairs, "; ")
}

// keep stores the cookies of the answer, as a browser does.
func (a *answer) keep() *answer {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.MaxAge < 0 {
			delete(a.cookies, c.Name)
		} else {
			a.cookies[c.Name] = c.Value
		}
	}
	return a
}

// get loads a document.
func (v *visitor) get(target string) *answer {
	v.Helper()
	return v.do("GET", target, "", http.Header{"Accept": {"text/html"}}).keep()
}

// object is a JSON body.
type object = map[string]any

// post calls an operation of the JSON API as our scripts do.
func (v *visitor) post(operation string, body object) *answer {
	v.Helper()
	return v.do("POST", "/auth/api/"+operation, encode(body), v.ours("application/json")).keep()
}

// form submits a form as our pages do without script.
func (v *visitor) form(target string, fields url.Values) *answer {
	v.Helper()
	return v.do("POST", target, fields.Encode(), v.ours("application/x-www-form-urlencoded")).keep()
}

// ours returns the headers of a write from a page of the site.
func (v *visitor) ours(contentType string) http.Header {
	return http.Header{"Origin": {v.origin}, "Content-Type": {contentType}}
}

func encode(body object) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// parse reads the JSON body into v.
func (a *answer) parse(v any) {
	a.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		a.Fatalf("%d %s: %v", a.status, a.body, err)
	}
}

// problem returns the body of a refusal.
func (a *answer) problem() problem {
	a.Helper()
	var p problem
	a.parse(&p)
	return p
}

// code returns the code of the refusal, or the code of its field.
func (a *answer) code() string {
	a.Helper()
	p := a.problem()
	if len(p.Fields) > 0 {
		return p.Fields[0].Code
	}
	return p.Code
}

// must fails the test unless the status is the given one.
func (a *answer) must(status int) *answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("the answer is %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// refused checks the status and the code of a refusal, which is that of its first field if it has one.
func (a *answer) refused(status int, code string) {
	a.Helper()
	if a.status != status || a.code() != code {
		a.Errorf("the answer is %d %s, want %d %s", a.status, a.body, status, code)
	}
}

// next returns the URL of the next step.
func (a *answer) next() string {
	a.Helper()
	var body struct {
		Next string `json:"next"`
	}
	a.must(200).parse(&body)
	return body.Next
}

// flow returns the id of the flow in the URL of the next step.
func (a *answer) flow() string {
	a.Helper()
	u, err := url.Parse(a.next())
	if err != nil {
		a.Fatal(err)
	}
	return u.Query().Get("flow")
}
