package app

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/server"
	"portico/internal/server/ops"
	"portico/internal/signingkey"
	"portico/internal/store"
)

// held mounts one page, which blocks until it is released.
type held struct{ asked, letGo chan struct{} }

func (h held) Mount(m *server.Mux) {
	m.Handle("GET /held", func(w http.ResponseWriter, _ *http.Request) error {
		close(h.asked)
		<-h.letGo
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// Stopping happens in order: readiness fails, new connections are refused, and
// open requests are answered.
func TestRun_Stop(t *testing.T) {
	t.Parallel()
	page := held{make(chan struct{}), make(chan struct{})}
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist(), Routes: []server.Routes{page}})
	defer a.end(t)
	r := run(t, a)
	for path, want := range map[string]string{"/livez": "alive", "/readyz": "ready"} {
		if status, text := r.get(r.ops + path); status != http.StatusOK || text != want {
			t.Errorf("%s: %d %s, want %s", path, status, text, want)
		}
	}
	if status, _ := r.get(r.public + "/auth/signin"); status != http.StatusOK {
		t.Errorf("the sign-in page answers %d", status)
	}
	answered := make(chan int, 1)
	go func() {
		status, _ := r.get(r.public + "/held")
		answered <- status
	}()
	<-page.asked
	r.stop()
	if status, text := r.get(r.ops + "/readyz"); status != http.StatusServiceUnavailable || text != "stopping" {
		t.Errorf("while it stops, /readyz says %d %s", status, text)
	}
	if status, _ := r.get(r.ops + "/livez"); status != http.StatusOK {
		t.Errorf("while it stops, /livez says %d", status)
	}
	select {
	case err := <-r.stopped:
		t.Errorf("it stopped (%v) with a request under way", err)
	default:
	}
	close(page.letGo)
	if status := <-answered; status != http.StatusNoContent {
		t.Errorf("the request under way got status %d", status)
	}
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	if status, _ := r.get(r.public + "/auth/signin"); status != 0 {
		t.Errorf("after it stopped, a listener answers with %d", status)
	}
}

func TestRun_DatabaseGone(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist()})
	r := run(t, a)
	if err := a.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if status, text := r.get(r.ops + "/readyz"); status != http.StatusServiceUnavailable || text != "the database does not answer" {
		t.Errorf("/readyz says %d %s", status, text)
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
}

// A node that cannot read the signing keys is not ready, so that no balancer sends users whose apps would get
// no tokens. It serves who comes all the same.
func TestRun_WithoutKeys(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist()})
	err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertSigningKey(t.Context(), signingkey.Key{ID: "damaged", Generation: 1, Sealed: []byte("x"), SignsAt: time.Now()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, a)
	if status, text := r.get(r.ops + "/readyz"); status != http.StatusServiceUnavailable || text != ops.Keyless {
		t.Errorf("/readyz answers %d %s", status, text)
	}
	if status, _ := r.get(r.public + "/auth/signin"); status != http.StatusOK {
		t.Errorf("the sign-in page is answered with %d", status)
	}
	if err := a.Operator.RevokeKey(t.Context(), flow.ByOperator, "damaged"); err != nil {
		t.Fatal(err)
	}
	if err := a.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, text := r.get(r.ops + "/readyz"); status != http.StatusOK {
		t.Errorf("with keys, /readyz answers %d %s", status, text)
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	r.end(t)
}

// If one port is taken, the other listener is closed again.
func TestListen_PortTaken(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	a := open(t, cfg, Options{})
	defer a.end(t)
	first, err := a.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Ops.Close()
	if err := first.Public.Close(); err != nil {
		t.Fatal(err)
	}
	a.Config.Listen, a.Config.OpsListen = first.Public.Addr().String(), first.Ops.Addr().String()
	if l, err := a.Listen(t.Context()); err == nil {
		t.Errorf("two listen on %s", l.Ops.Addr())
	}
	a.Config.OpsListen = "127.0.0.1:0"
	again, err := a.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Public.Close()
	defer again.Ops.Close()
}

// After the data was moved away, Run ends, says what to do, and refuses to
// start again.
func TestRun_DataMoved(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	needSQLite(t, cfg)
	a := open(t, cfg, Options{Dist: dist()})
	defer func() { _ = a.Close() }()
	r := run(t, a)
	if status, _ := r.get(r.ops + "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz says %d", status)
	}
	err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.KeepMoveState(t.Context(), store.MoveGone, time.Time{})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-r.stopped; !errors.Is(err, store.ErrMoved) {
		t.Errorf("serving has ended with %v, want ErrMoved", err)
	}
	if _, err := New(t.Context(), cfg, Options{}); !errors.Is(err, store.ErrMoved) {
		t.Errorf("started again: %v, want ErrMoved", err)
	}
}
