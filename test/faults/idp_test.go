package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/dev/idp"
)

// provideTo names the environment variable that makes this test binary an
// identity provider with that callback. The provider is a process of its own,
// so that the gigabyte that it sends takes no time of the measuring process.
const provideTo = "FAULTS_PROVIDE_TO"

const providerClient, providerSecret = "portico", "at the provider"

// provider is such a process.
type provider struct {
	*testing.T
	url string
	in  io.Writer
	out *bufio.Reader
}

func newProvider(t *testing.T, callback string) *provider {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), provideTo+"="+callback), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p := &provider{T: t, in: in, out: bufio.NewReader(out)}
	p.url = p.said()
	return p
}

func (p *provider) said() string {
	p.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.Fatalf("the provider has ended: %v", err)
	}
	return strings.TrimSpace(line)
}

// be sets how the provider fails at a path; "well" stops the failure. It
// returns the number of requests since the last call.
func (p *provider) be(wrong, path string) (asked int) {
	p.Helper()
	_, _ = fmt.Fprintf(p.in, "%s\t%s\n", path, wrong)
	if _, err := fmt.Sscan(p.said(), &asked); err != nil {
		p.Fatal(err)
	}
	return asked
}

// rotate gives the provider new keys.
func (p *provider) rotate() { p.be("rotated", "/") }

// failures are the ways in which a provider fails at a path.
var failures = map[string]http.HandlerFunc{
	"a gigabyte": gigabyte, // does not end by itself
	"a web page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<h1>Welcome</h1>")
	},
	"502": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
	"no answer": func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client has gone
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	},
}

func gigabyte(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	block := []byte(`{"keys":[` + strings.Repeat(" ", 1<<16))
	for range 1 << 14 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// shortSends is a listener whose connections buffer little unread data. The
// processor of this machine then makes no data that the client never reads.
type shortSends struct{ net.Listener }

func (l shortSends) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(64 << 10)
	}
	return c, err
}

// provide runs the provider until its input ends.
func provide(callback string) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	issuer := "http://" + l.Addr().String()
	fresh := func() http.Handler {
		h, err := idp.New(idp.Config{Issuer: issuer, ClientID: providerClient, ClientSecret: providerSecret, RedirectURI: callback, Clock: clock.System{}})
		if err != nil {
			panic(err) // the test then finds no address
		}
		return h
	}
	var mu sync.Mutex
	var asked int
	healthy, wrong, path := fresh(), http.HandlerFunc(nil), ""
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := healthy
		if wrong != nil && strings.HasPrefix(r.URL.Path, path) {
			h = wrong
			asked++
		}
		mu.Unlock()
		h.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(shortSends{l}) }()
	fmt.Println(issuer)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		where, what, _ := strings.Cut(in.Text(), "\t")
		mu.Lock()
		if what == "rotated" {
			healthy = fresh()
		}
		wrong, path = failures[what], where
		fmt.Println(asked)
		asked = 0
		mu.Unlock()
	}
	return 0
}
