package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/store"
)

const (
	publicHost    = "portico.test"
	publicURL     = "https://" + publicHost // as behind a proxy that terminates TLS
	sessionCookie = "__Host-portico-session"
	browserCookie = "__Host-portico-browser"
	deviceCookie  = "__Host-portico-device"
)

// installation is a Portico with its database and accounts.
type installation struct {
	*bench
	dir      string
	url      string
	people   int
	drop     func() error
	upstream string // the app behind it, "" for none
	settings string // of portico.toml, in addition to the environment
	listen   string // the address while it serves
	ops      string

	clients
	turn atomic.Int64 // counts the users who had a turn
}

// next returns the number of the next user. Every user has a turn before any
// user has a second one.
func (i *installation) next() int { return int(i.turn.Add(1)-1) % i.people }

// installed returns an installation with so many accounts. A run creates it
// once, because the rows only add to it.
func (b *bench) installed(ctx context.Context, e engine, count int) (*installation, error) {
	name := fmt.Sprintf("%s-%d", e.name(), count)
	if i := b.made[name]; i != nil {
		return i, nil
	}
	i := &installation{bench: b, dir: filepath.Join(b.dir, name), people: count}
	if err := os.Mkdir(i.dir, 0o700); err != nil {
		return nil, err
	}
	key, err := secret.CreateKey(i.keyFile())
	if err != nil {
		return nil, err
	}
	if i.url, i.drop, err = e.create(ctx, i.dir); err != nil {
		return nil, err
	}
	b.made[name] = i
	if err := i.migrate(ctx); err != nil {
		return nil, err
	}
	passwords, err := newPasswords(key)
	if err != nil {
		return nil, err
	}
	verifier, err := passwords.Hash(ctx, goodPassword)
	if err != nil {
		return nil, err
	}
	progress("%s: loading %d people", e.name(), count)
	return i, e.load(ctx, i.url, people{count: count, sessions: i.sessions(), verifier: verifier})
}

func (i *installation) keyFile() string { return filepath.Join(i.dir, "secret.key") }

func (i *installation) settingsFile() string { return filepath.Join(i.dir, "portico.toml") }

// sessions returns the number of accounts with a session.
func (i *installation) sessions() int { return min(i.people, mostSessions) }

func (i *installation) migrate(ctx context.Context) (err error) {
	s, err := i.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, err = s.Migrate(ctx)
	return err
}

// nothingBreached is the breach list of an installation where no user chooses a
// password.
type nothingBreached struct{}

func (nothingBreached) Contains(string) bool { return false }

// newPasswords returns a service that hashes as the product does.
func newPasswords(key *secret.Key) (*password.Service, error) {
	return password.New(password.Config{Key: key, Breached: nothingBreached{}, Slots: runtime.GOMAXPROCS(0)})
}

// serve starts the product and waits until it is ready.
func (i *installation) serve(ctx context.Context) (*process, error) {
	p, _, err := i.timed(ctx)
	return p, err
}

// timed is serve, and returns the time that it took.
func (i *installation) timed(ctx context.Context) (*process, time.Duration, error) {
	var err error
	if i.listen, err = freePort(); err != nil {
		return nil, 0, err
	}
	if i.ops, err = freePort(); err != nil {
		return nil, 0, err
	}
	name, args := i.binary, []string{"serve"}
	if i.profile != "" {
		i.lives++
		name, args = i.self, []string{rolePortico, fmt.Sprintf("%s.%d", i.profile, i.lives)}
	}
	if err := os.WriteFile(i.settingsFile(), []byte(i.settings), 0o600); err != nil {
		return nil, 0, err
	}
	began := time.Now()
	p, err := start(ctx, filepath.Join(i.dir, "log"), i.environ(), name, args...)
	if err != nil {
		return nil, 0, err
	}
	ready := []byte("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if err := p.await(i.ops, ready); err != nil {
		return nil, 0, err
	}
	return p, time.Since(began), nil
}

// database returns the URL for the product, and for its store in this program.
func (i *installation) database() string {
	if i.patience != "" && strings.HasPrefix(i.url, "postgres") {
		return i.url + "&answer_within=" + i.patience
	}
	return i.url
}

// open returns the product's store of the installation.
func (i *installation) open(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Config{URL: i.database()})
}

func (i *installation) environ() []string {
	return []string{
		"PORTICO_CONFIG=" + i.settingsFile(), "PORTICO_UPSTREAM=" + i.upstream,
		"PORTICO_PUBLIC_URL=" + publicURL, "PORTICO_LISTEN=" + i.listen, "PORTICO_OPS_LISTEN=" + i.ops,
		"PORTICO_TRUSTED_PROXIES=127.0.0.0/8", "PORTICO_DATABASE_URL=" + i.database(), "PORTICO_SECRET_FILE=" + i.keyFile(),
		"PORTICO_SMTP_URL=smtp://" + i.mail.Addr().String() + "?tls=none", "PORTICO_MAIL_FROM=no-reply@bench.test",
		// The cost of the raw hashes.
		"PORTICO_PASSWORD_HASH=fixed", "PORTICO_HASHING_MEMORY_MIB=19", "PORTICO_HASHING_PASSES=2",
	}
}

// await repeats a request until the status is 200.
func (p *process) await(addr string, request []byte) error {
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(500 * time.Microsecond) {
		select {
		case <-p.ended:
			return p.failure()
		default:
		}
		c, err := dial(addr)
		if err != nil {
			continue
		}
		a, err := c.do(request)
		_ = c.Close()
		if err == nil && a.status == 200 {
			return nil
		}
	}
	p.stop()
	return errors.New("not ready after a minute: " + p.cmd.Path)
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
