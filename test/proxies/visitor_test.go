package proxies

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/internal/apptest"
	"portico/internal/flow"
	"portico/internal/testform"
)

// visitor is a browser in front of the proxy. It does not follow redirects.
type visitor struct {
	*place
	cookies map[string]string
	host    string // that it writes; "" for the one of the pages
}

func (p *place) visitor() *visitor { return &visitor{place: p, cookies: map[string]string{}} }

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) echoed() (e echo, ok bool) {
	return e, json.Unmarshal([]byte(a.body), &e) == nil && e.Method != ""
}

var navigation = []string{"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"}

var script = []string{"Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", "Accept: */*"}

// dial opens a connection to the proxy.
func (v *visitor) dial() net.Conn {
	v.Helper()
	c, err := v.handshake()
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(testform.Patience))
	return c
}

// do sends a request as written, on a new connection. The zero answer means
// that the proxy closed the connection.
func (v *visitor) do(method, target, body string, lines ...string) answer {
	v.Helper()
	c := v.dial()
	request := method + " " + target + " HTTP/1.1\r\nHost: " + cmp.Or(v.host, hostOf(v.T, origin)) + "\r\nConnection: close\r\n"
	if body != "" || method == "POST" {
		request += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	for _, line := range lines {
		request += line + "\r\n"
	}
	go func() { _, _ = io.WriteString(c, request+v.cookieLine()+"\r\n"+body) }() // the proxy may close before it has read all
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	for _, cookie := range response.Cookies() {
		if v.cookies[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
			delete(v.cookies, cookie.Name)
		}
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

func (v *visitor) get(target string, lines ...string) answer {
	v.Helper()
	return v.do("GET", target, "", lines...)
}

func (v *visitor) cookieLine() string {
	if len(v.cookies) == 0 {
		return ""
	}
	// An app may set such cookies, so that one of them is taken for the
	// session.
	pairs := []string{"first=1", "xportico-session=x", "x__Host-portico-session=x"}
	for name, value := range v.cookies {
		pairs = append(pairs, name+"="+value)
	}
	return "Cookie: " + strings.Join(append(pairs, "last=2"), "; ") + "\r\n"
}

// signIn submits the form and returns the response.
func (v *visitor) signIn(address, returnTo string) answer {
	v.Helper()
	form := url.Values{"email": {address}, "password": {apptest.Password}, "return_to": {returnTo}}
	return v.do("POST", "/auth/signin", form.Encode(), append(navigation, "Content-Type: application/x-www-form-urlencoded", "Origin: "+origin)...)
}

// person creates an account and returns a browser that is signed in to it.
func (p *place) person(address string, roles ...string) (v *visitor, id string) {
	p.Helper()
	a, err := p.site.Operator.CreateUser(context.Background(), flow.ByOperator, address, "Mära Lind", apptest.Password, roles...)
	if err != nil {
		p.Fatal(err)
	}
	v = p.visitor()
	if got := v.signIn(address, ""); got.status != http.StatusSeeOther {
		p.Fatalf("the sign-in gets %d: %s", got.status, got.body)
	}
	p.app.requests()
	return v, a.ID
}

// open sends a request without a body and returns after the header of the
// response.
func (v *visitor) open(method, target string, lines ...string) *http.Response {
	v.Helper()
	c := v.dial()
	request := method + " " + target + " HTTP/1.1\r\nHost: " + hostOf(v.T, origin) + "\r\n" + strings.Join(lines, "\r\n") + "\r\n"
	if _, err := io.WriteString(c, request+v.cookieLine()+"\r\n"); err != nil {
		v.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		v.Fatal(err)
	}
	return response
}

// socket does the handshake. If that succeeds, it sends a word and reads it
// back.
func (v *visitor) socket(target, from string) answer {
	v.Helper()
	c := v.dial()
	_, err := io.WriteString(c, "GET "+target+" HTTP/1.1\r\nHost: "+hostOf(v.T, origin)+"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-Fetch-Mode: websocket\r\nOrigin: "+from+"\r\n"+v.cookieLine()+"\r\n")
	if err != nil {
		v.Fatal(err)
	}
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		v.Fatal(err)
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(response.Body)
		return answer{response.StatusCode, response.Header, string(text)}
	}
	word := make([]byte, 4)
	if _, err := io.WriteString(c, "ping"); err != nil {
		v.Fatal(err)
	}
	if _, err := io.ReadFull(r, word); err != nil {
		v.Errorf("the WebSocket sends nothing back: %v", err)
	}
	return answer{response.StatusCode, response.Header, string(word)}
}
