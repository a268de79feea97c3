package proxies

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// echo is a request as the app received it.
type echo struct {
	Method, Target, Host string
	Header               http.Header
	Body                 int64
	Trailer              http.Header // what follows the body
}

// echoApp answers with a description of each request, and keeps it. A path that
// begins with /ws is a WebSocket that echoes every byte, and so is any other protocol that is asked for. /events sends one
// event and stays open.
type echoApp struct {
	addr string

	mu   sync.Mutex
	seen []echo
}

func newEchoApp(t *testing.T) *echoApp {
	t.Helper()
	a := &echoApp{}
	server := httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(server.Close)
	a.addr = strings.TrimPrefix(server.URL, "http://")
	return a
}

func (a *echoApp) serve(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	e := echo{r.Method, r.RequestURI, r.Host, r.Header.Clone(), n, r.Trailer.Clone()}
	a.mu.Lock()
	a.seen = append(a.seen, e)
	a.mu.Unlock()
	if protocol := r.Header.Get("Upgrade"); protocol != "" {
		switches(w, r, protocol)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/me") {
		gullible(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/events") {
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	_ = json.NewEncoder(w).Encode(e)
}

// gullible believes its own cookie, and takes the gateway's identity only
// without one.
func gullible(w http.ResponseWriter, r *http.Request) {
	who := r.Header.Get("X-Portico-Email")
	if own, err := r.Cookie("app_session"); err == nil {
		who = own.Value
	} else if who != "" {
		http.SetCookie(w, &http.Cookie{Name: "app_session", Value: who, Path: "/", Secure: true, HttpOnly: true})
	}
	_, _ = io.WriteString(w, "you are "+who)
}

// requests returns the requests since the last call.
func (a *echoApp) requests() []echo {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.seen
	a.seen = nil
	return all
}

// switches takes the connection for a protocol, of a WebSocket with the handshake (RFC 6455 4.2.2), and echoes every byte.
func switches(w http.ResponseWriter, r *http.Request, protocol string) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: %s\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nX-User: %s\r\n\r\n",
		protocol, base64.StdEncoding.EncodeToString(sum[:]), r.Header.Get("X-Portico-User"))
	_ = rw.Flush()
	_, _ = io.Copy(c, rw)
}
