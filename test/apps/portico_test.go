package apps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	address  = "mara@example.com"
	password = "a long secret of Mara"
	name     = "Mara Lind"
)

// portico is a server with one user and one client.
type portico struct {
	*testing.T
	dir    string
	origin string // also the issuer
	ops    string
	log    buffer
}

// client is an app in portico.toml.
type client struct {
	ID, Secret       string // a public client has no secret
	Redirect, Logout string // URLs
	Told             string // the URL of the back channel
	More             string // other lines
}

func (c client) String() string {
	text := fmt.Sprintf("[[client]]\nid = %q\nredirect_uris = [%q]\n", c.ID, c.Redirect)
	if c.Secret != "" {
		text += fmt.Sprintf("secret = %q\n", c.Secret)
	} else {
		text += "public = true\n"
	}
	if c.Logout != "" {
		text += fmt.Sprintf("post_logout_redirect_uris = [%q]\n", c.Logout)
	}
	if c.Told != "" {
		text += fmt.Sprintf("backchannel_logout_uri = %q\n", c.Told)
	}
	return text + c.More + "\n"
}

// binary returns the path of the product, which make build has made.
var binary = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../../bin/portico")
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, err
})

// start serves with these clients until the test ends.
func start(t *testing.T, clients ...client) *portico {
	t.Helper()
	var blocks strings.Builder
	for _, c := range clients {
		blocks.WriteString(c.String())
	}
	p := prepare(t)
	p.serve(blocks.String())
	return p
}

// prepare writes the settings of a server without clients.
func prepare(t *testing.T) *portico {
	t.Helper()
	p := &portico{T: t, dir: t.TempDir(), origin: "http://localhost:" + freePort(t), ops: "127.0.0.1:" + freePort(t)}
	file := fmt.Sprintf("public_url = %q\nlisten = %q\nops_listen = %q\nsmtp_url = \"smtp://127.0.0.1:1?tls=none\"\nmail_from = \"a@example.com\"\n", p.origin, strings.TrimPrefix(p.origin, "http://"), p.ops)
	p.write(file + "database_url = \"sqlite:portico.db\"\nsecret_file = \"secret.key\"\n")
	return p
}

// write appends to the settings.
func (p *portico) write(text string) {
	p.Helper()
	f, err := os.OpenFile(filepath.Join(p.dir, "portico.toml"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		p.Fatal(err)
	}
}

// settings replaces parts of the settings.
func (p *portico) settings(parts *strings.Replacer) {
	p.Helper()
	path := filepath.Join(p.dir, "portico.toml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(parts.Replace(string(text))), 0o600)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// serve starts the server with these clients, and adds the user.
func (p *portico) serve(clients string) {
	p.Helper()
	p.write(clients)
	serve := p.command("serve")
	serve.Stdout, serve.Stderr = &p.log, &p.log
	run(p.T, serve)
	await(p.T, "http://"+p.ops+"/readyz", &p.log)
	create := p.command("user", "create", address, "--name", name, "--password")
	create.Stdin = strings.NewReader(password + "\n")
	if out, err := create.CombinedOutput(); err != nil {
		p.Fatalf("%v\n%s", err, out)
	}
}

func (p *portico) command(args ...string) *exec.Cmd {
	p.Helper()
	path, err := binary()
	if err != nil {
		p.Fatalf("run make build first: %v", err)
	}
	c := exec.Command(path, args...)
	c.Dir, c.Env = p.dir, []string{"HOME=" + p.dir}
	return c
}

// active reports whether a token is valid, as the client asks.
func (p *portico) active(c client, token string) bool {
	p.Helper()
	r, _ := http.NewRequest(http.MethodPost, p.origin+"/auth/openid/introspect", strings.NewReader("token="+token))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(c.ID, c.Secret)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct{ Active bool }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || answer.StatusCode != http.StatusOK {
		p.Fatalf("introspection: %d %v", answer.StatusCode, err)
	}
	return said.Active
}

// run starts a program that ends with the test.
func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = c.Process.Kill()
			<-ended
		}
	})
}

// await waits until a URL answers. It follows no redirect: an app by itself has no sign-in page.
func await(t *testing.T, url string, log fmt.Stringer) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(50 * time.Millisecond) {
		answer, err := newBrowser().Get(url)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode < 500 {
				return
			}
		}
	}
	t.Fatalf("%s does not answer\n%s", url, log)
}

var givenPorts sync.Map

// freePort returns a port below the ports of outgoing connections, and none twice.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(12000))
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue // another test has not begun to listen on it
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// buffer is the output of a program.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
