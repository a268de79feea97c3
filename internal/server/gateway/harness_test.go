package gateway_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/apptest"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/logtest"
	"portico/internal/screentest"
	"portico/internal/testform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = "copper lantern over seven hills"

// site is a complete Portico on a loopback port, with apps.
type site struct {
	testing.TB
	app    *app.App
	clock  *clock.Manual
	addr   string
	host   string // host:port of the public URL
	origin string
	log    *logtest.Buffer
	broken bool // the test has closed the store
	stop   func()
}

// start serves on a loopback port. It applies the options to the configuration
// first.
func start(t testing.TB, options ...func(*config.Config)) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	s := &site{TB: t, addr: l.Addr().String(), host: "localhost:" + port, origin: "http://localhost:" + port, log: &logtest.Buffer{}}
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "http", Host: s.host}
	cfg.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	cfg.SecretFile = filepath.Join(t.TempDir(), "key")
	apptest.Prepare(t, &cfg)
	for _, o := range options {
		o(&cfg)
	}
	s.clock = clock.NewManual(time.Now())
	s.app, err = app.New(t.Context(), cfg, app.Options{Clock: s.clock, Dist: screentest.Documents("<!doctype html><title>{{html .screen}}</title><script>{{.boot}}</script>"), Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelInfo}))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.app.Run(ctx, app.Listeners{Public: l}) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stop: %v", err)
		}
		if !s.broken {
			_ = s.app.Close()
		}
	})
	t.Cleanup(func() { s.stop() })
	return s
}

// behind configures an upstream and its rules.
func behind(upstream string, rules ...string) func(*config.Config) {
	return func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(upstream)
		c.App.Rules = rules
	}
}

// person creates an account, and returns the Cookie line of a browser that is
// signed in.
func (s *site) person(address string, roles ...string) (cookie string) {
	s.Helper()
	if _, err := s.app.Operator.CreateUser(s.Context(), flow.ByOperator, address, "Mära, \"Lind\"", good, roles...); err != nil {
		s.Fatal(err)
	}
	return s.signIn(address)
}

func (s *site) signIn(address string) (cookie string) {
	s.Helper()
	r, err := s.app.Flows.SignIn(s.Context(), flow.Caller{Peer: "192.0.2.1/32", Locale: "en"}, flow.SignInInput{Email: address, Password: good})
	if err != nil {
		s.Fatal(err)
	}
	return "portico-session=" + r.Session.Value
}

func (s *site) caller(cookie string) flow.Caller {
	return flow.Caller{Session: strings.TrimPrefix(cookie, "portico-session=")}
}

func (s *site) user(address string) account.Account {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// echoed decodes the response of the echo app.
func (a answer) echoed(t testing.TB) (e echo) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatalf("%d %.200s: not the app: %v", a.status, a.body, err)
	}
	return e
}

// get sends a GET request with header lines "Name: value".
func (s *site) get(target string, lines ...string) answer {
	s.Helper()
	return s.do("GET", target, "", lines...)
}

// do sends a request as written, on a new connection.
func (s *site) do(method, target, body string, lines ...string) answer {
	s.Helper()
	host := "Host: " + s.host + "\r\n"
	for _, line := range lines {
		if strings.HasPrefix(strings.ToLower(line), "host:") {
			host = ""
		}
	}
	length := ""
	if body != "" || method != "GET" {
		length = "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	request := method + " " + target + " HTTP/1.1\r\n" + host + length
	for _, line := range lines {
		request += line + "\r\n"
	}
	all := s.raw(request + "Connection: close\r\n\r\n" + body)
	if len(all) == 0 {
		return answer{}
	}
	return all[0]
}

// raw sends bytes, and returns the responses until the connection ends or is
// silent.
func (s *site) raw(request string) []answer {
	s.Helper()
	return s.rawWithin(request, 20*time.Second)
}

func (s *site) rawWithin(request string, patience time.Duration) []answer {
	s.Helper()
	c := s.dial()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	go func() { _, _ = io.WriteString(c, request) }() // the server may close the connection first
	var all []answer
	for r := bufio.NewReader(c); ; {
		if len(all) > 0 {
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
		}
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			return all
		}
		body, _ := io.ReadAll(response.Body)
		all = append(all, answer{response.StatusCode, response.Header, string(body)})
		if response.Close {
			return all
		}
	}
}

func (s *site) dial() net.Conn {
	s.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(testform.Patience))
	return c
}

// echo is a request as the app received it.
type echo struct {
	Method, Target, Host string
	Header               http.Header
	Trailer              http.Header
	Body                 int64
}

// echoApp responds with the request that it received, except at some special
// paths.
func echoApp(t testing.TB) *upstream {
	t.Helper()
	u := &upstream{}
	mux := http.NewServeMux()
	mux.HandleFunc("/ws", webSocket)
	mux.HandleFunc("/events", events)
	mux.HandleFunc("/download", download)
	mux.HandleFunc("/evil", func(w http.ResponseWriter, _ *http.Request) {
		for _, cookie := range []string{
			"portico-session=evil", "__Host-portico-session=evil; Path=/; Secure", "=portico-session=evil", "PORTICO-session=evil", " portico-browser ; x",
			"__Secure-portico-x=1", "mine=1; Path=/", "xportico-session=1",
		} {
			w.Header().Add("Set-Cookie", cookie)
		}
		w.Header().Set("Clear-Site-Data", `"cache", "cookies"`)
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		w.Header().Set("Location", "http://169.254.169.254/")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_ = json.NewEncoder(w).Encode(echo{r.Method, r.RequestURI, r.Host, r.Header, r.Trailer, n})
	})
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.seen = append(u.seen, r.Method+" "+r.RequestURI)
		u.mu.Unlock()
		if strings.Contains(r.URL.Path, "..") || strings.Contains(r.URL.Path, "//") {
			_, _ = io.WriteString(w, "{}") // ServeMux would redirect
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

// upstream is an app that records its requests.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func (u *upstream) asked() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.seen...)
}

// webSocket completes the handshake (RFC 6455 4.2.2) and echoes every byte.
func webSocket(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nX-User: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]), r.Header.Get("X-Portico-User"))
	_ = rw.Flush()
	_, _ = io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{rw}, make([]byte, 512))
}

// events sends one event and stays open.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: "+r.Header.Get("X-Portico-User")+"\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// download sends the requested number of bytes.
func download(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
	w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
	_, _ = io.CopyN(w, zeros{}, n)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
