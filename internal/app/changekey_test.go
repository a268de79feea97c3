package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/assertion"
	"portico/internal/config"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/masterkey"
	"portico/internal/openid"
	"portico/internal/people"
	"portico/internal/secret"
	"portico/internal/store"
)

// The master key changes while visitors sign in and up, email waits, and clients
// refresh their tokens. Codes, tokens and sessions from before work, and nothing
// fails. Then the former key goes, and everything works without it.
func TestChangeKey_UnderLoad(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	n := k.nodes[0]
	for _, address := range []string{"often@example.org", "client@example.org", "rare@example.org", "eve@example.org"} {
		n.create(t, address)
	}
	n.create(t, "ada@example.org")

	// Before.
	owner, _, err := k.signIn("ada@example.org")
	if err != nil {
		t.Fatal(err)
	}
	totp, recovery := k.enrol(owner)
	bob, _, err := k.signIn("rare@example.org")
	if err != nil {
		t.Fatal(err)
	}
	newcomer, signUp, digits, err := k.register("early@example.org")
	if err != nil {
		t.Fatal(err)
	}
	k.refuse = "late@example.org"
	late := k.visitor()
	pending, err := k.flows().Flows.SignUp(t.Context(), late, flow.SignUpInput{Name: "L", Email: "late@example.org", Password: good, Confirm: good})
	if err != nil {
		t.Fatal(err)
	}
	unused, atHost, mark := k.code(bob), must(k.cross(bob.Session)), k.flows().OpenID.Sent("request", bob.BrowserCookie)
	tokens, err := k.redeem(k.code(bob))
	if err != nil {
		t.Fatal(err)
	}
	guesser := k.visitor()
	for range 3 {
		_, _ = k.flows().Flows.SignIn(t.Context(), guesser, flow.SignInInput{Email: "eve@example.org", Password: "wrong one, and again"})
	}

	// The change.
	former, next := k.cfg.SecretFile, k.path("secret-2.key")
	if _, err := secret.CreateKey(next); err != nil {
		t.Fatal(err)
	}
	stop := k.traffic()
	k.reload(former, next)
	change, err := k.change(false)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if change.Rewritten < 4 || len(change.Unopened) > 0 || change.Current == change.Former {
		t.Errorf("the change: %+v", change)
	}
	t.Logf("%+v", change)

	// Codes, tokens and sessions from before work with both keys.
	if _, err := k.flows().Flows.VerifyCode(t.Context(), newcomer, signUp, digits); err != nil {
		t.Errorf("a code that was mailed before: %v", err)
	}
	k.mu.Lock()
	k.refuse = ""
	k.mu.Unlock()
	k.retryDead()
	if _, err := k.flows().Flows.VerifyCode(t.Context(), late, pending.FlowID, k.mailTo("late@example.org").Data["code"]); err != nil {
		t.Errorf("a code that was sent again: %v", err)
	}
	if _, err := k.redeem(unused); err != nil {
		t.Errorf("a code for a client: %v", err)
	}
	if m := must(k.flows().OpenID.Marked(t.Context(), bob, mark)); !m.Sent {
		t.Error("a mark says nothing")
	}
	if k.flows().Flows.TokenAt(host, atHost) != bob.Session || must(k.flows().Flows.Session(t.Context(), bob.Session)).User.Address != "rare@example.org" {
		t.Error("a session ended")
	}
	if got := k.left(guesser); got != 2 {
		t.Errorf("%d attempts are left of 5 after 3, want 2", got)
	}
	if needs := strings.Join(k.needs(), "\n"); !strings.Contains(needs, "refresh token") || strings.Contains(needs, "rows sealed") || strings.Contains(needs, "not complete") {
		t.Errorf("the former key is needed for %q", needs)
	}
	if tokens, err = k.flows().OpenID.RefreshTokens(t.Context(), k.visitor(), client(), openid.Renewal{Refresh: tokens.Refresh}, assertion.KeyProof{}); err != nil {
		t.Errorf("a refresh token: %v", err)
	}

	// The former key goes.
	k.reload(next, "")
	if _, _, err := k.signIn("rare@example.org"); err != nil {
		t.Errorf("a password that was not used since: %v", err)
	}
	later := totp.At(time.Now().Add(30 * time.Second)) // the code before may be the one that added the app
	for _, in := range []flow.FactorInput{{Code: later}, {Code: recovery[0], Recovery: true}} {
		c, r, err := k.signIn("ada@example.org")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.flows().Flows.GiveFactor(t.Context(), c, r.FlowID, in); err != nil {
			t.Errorf("a second factor: %v", err)
		}
	}
	if _, err := k.flows().OpenID.RefreshTokens(t.Context(), k.visitor(), client(), openid.Renewal{Refresh: tokens.Refresh}, assertion.KeyProof{}); err != nil {
		t.Errorf("a refresh token of the new key: %v", err)
	}
	stop = k.traffic()
	time.Sleep(200 * time.Millisecond)
	stop()
	a := open(t, k.cfg, Options{Existing: true}) // a start without the former key
	a.end(t)
	k.cfg.SecretFile = former
	if _, err := New(t.Context(), k.cfg, Options{}); err == nil || !strings.Contains(err.Error(), "whose master key was changed") {
		t.Errorf("a start with the former key alone: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// left returns how many wrong passwords eve's address still has.
func (k *keyed) left(c flow.Caller) (n int) {
	for ; n < 10; n++ {
		_, err := k.flows().Flows.SignIn(k.Context(), c, flow.SignInInput{Email: "eve@example.org", Password: "wrong one, and again"})
		if fault.From(err).Code == "throttle.limited" {
			return n
		}
	}
	return n
}

// A change that was interrupted after any step is completed by the next one.
func TestChangeKey_Interrupted(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	k.nodes[0].create(t, "ada@example.org")
	for n := range 250 { // several batches
		if _, _, _, err := k.register(strings.Repeat("x", n%5+1) + "." + string(rune('a'+n%26)) + "@x" + strings.Repeat("y", n/26+1) + ".org"); err != nil {
			t.Fatal(err)
		}
	}
	former, next := k.cfg.SecretFile, k.path("secret-2.key")
	if _, err := secret.CreateKey(next); err != nil {
		t.Fatal(err)
	}
	if _, err := k.change(false); err == nil || !strings.Contains(err.Error(), "secret_next_file") {
		t.Errorf("with one key: %v", err)
	}
	k.reload(former, next)
	cfg, _ := k.load()
	a := open(t, cfg, Options{Existing: true})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := a.ChangeKey(ctx, false, func(step string) {
		if strings.Contains(step, "every node seals") {
			cancel()
		}
	})
	a.end(t)
	if err == nil {
		t.Fatal("it was not interrupted")
	}
	if needs := strings.Join(k.needs(), "\n"); !strings.Contains(needs, "portico secret rotate") {
		t.Errorf("the former key is needed for %q", needs)
	}
	cfg.SecretFile, cfg.SecretNext = next, ""
	if _, err := New(t.Context(), cfg, Options{}); err == nil || !strings.Contains(err.Error(), "is not complete") {
		t.Errorf("a start without the former key: %v", err)
	}
	change, err := k.change(false)
	if err != nil || change.Rewritten < 100 {
		t.Fatalf("%+v, %v", change, err)
	}
	again, err := k.change(false)
	if err != nil || again.Rewritten != 0 || again.Current != change.Current {
		t.Errorf("once more: %+v, %v", again, err)
	}
	// And back.
	k.reload(next, former)
	if _, err := k.change(false); err == nil || !strings.Contains(err.Error(), "--back") {
		t.Errorf("back by accident: %v", err)
	}
	back, err := k.change(true)
	if err != nil || back.Current != change.Former || back.Rewritten < 100 {
		t.Errorf("back: %+v, %v", back, err)
	}
	k.reload(former, "")
	if _, _, err := k.signIn("ada@example.org"); err != nil {
		t.Error(err)
	}
}

// A node that has only the former key stops the change, and is named.
func TestChangeKey_NodeWithoutTheKey(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	next := k.path("secret-2.key")
	if _, err := secret.CreateKey(next); err != nil {
		t.Fatal(err)
	}
	cfg, _ := k.load()
	cfg.SecretNext = next
	a := open(t, cfg, Options{Existing: true})
	defer a.end(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	host, _ := os.Hostname()
	if _, err := a.ChangeKey(ctx, false, func(string) {}); err == nil || !strings.Contains(err.Error(), "the node on "+host+" has only the former key: name the new one in its secret_next_file") {
		t.Errorf("the change: %v", err)
	}
	if a.key.ID() != k.nodes[0].key.ID() {
		t.Error("the key is another one")
	}
}

// The row of a process that was killed does not stop a change on SQLite.
func TestChangeKey_AfterAKill(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	needSQLite(t, cfg)
	killed := open(t, cfg, Options{})
	if err := killed.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed.end(t)
	nextKey(t, &cfg)
	a := open(t, cfg, Options{Existing: true})
	defer a.end(t)
	if change, err := a.ChangeKey(t.Context(), false, func(string) {}); err != nil || change.Current != a.key.ID() || change.Current == change.Former {
		t.Errorf("%+v, %v", change, err)
	}
	cfg.SecretNext = cfg.SecretFile // the one file gets the key of the other
	a.Config = cfg
	if _, err := a.ChangeKey(t.Context(), false, func(string) {}); !errors.Is(err, ErrOneKey) {
		t.Errorf("with one key in both files: %v", err)
	}
}

// A change waits for registered nodes only. A node that was starting meanwhile has the
// new key before it serves.
func TestChangeKey_WhileANodeStarts(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	first := open(t, cfg, Options{Dist: dist()})
	first.end(t)
	nextKey(t, &cfg)
	starting := open(t, cfg, Options{Existing: true, Dist: dist()})
	other := open(t, cfg, Options{Existing: true, Dist: dist()})
	change, err := other.ChangeKey(t.Context(), false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	other.end(t)
	r := run(t, starting)
	defer func() {
		r.stop()
		<-r.stopped
		r.end(t)
	}()
	if status, text := r.get(r.public + "/auth/api/session"); status != 401 {
		t.Fatal(status, text)
	}
	if r.key.ID() != change.Current {
		t.Error("the node serves with the former key")
	}
}

// SEC-231: an import that began before the change seals nothing with the former key after it.
func TestChangeKey_DuringAnImport(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	importing := open(t, cfg, Options{})
	defer importing.end(t)
	brings := func(a *App, email string) error {
		p := people.Person{Email: email, TOTP: []people.TOTP{{Secret: "GEZDGNBVGY3TQOJQ"}}}
		_, err := a.Operator.Import(t.Context(), flow.ByOperator, []people.Person{p}, flow.Import{})
		return err
	}
	if err := brings(importing, "early@example.org"); err != nil {
		t.Fatal(err)
	}
	nextKey(t, &cfg)
	other := open(t, cfg, Options{Existing: true})
	defer other.end(t)
	if change, err := other.ChangeKey(t.Context(), false, func(string) {}); err != nil || change.Rewritten == 0 {
		t.Fatalf("%+v, %v", change, err)
	}
	if err := brings(importing, "late@example.org"); err == nil || !strings.Contains(err.Error(), "the master key was changed meanwhile") {
		t.Errorf("an import with the former key: %v", err)
	}
	if found, err := masterkey.Survey(t.Context(), other.sealed(), other.key); err != nil || len(found) > 0 {
		t.Errorf("sealed with the former key: %+v (%v)", found, err)
	}
	if err := brings(other, "late@example.org"); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

// nextKey makes another master key, and names it in the settings.
func nextKey(t *testing.T, cfg *config.Config) {
	t.Helper()
	cfg.SecretNext = filepath.Join(filepath.Dir(cfg.SecretFile), "secret-2.key")
	if _, err := secret.CreateKey(cfg.SecretNext); err != nil {
		t.Fatal(err)
	}
}

// A row that is written at the same time is not lost, and no row is skipped.
func TestRewrite_LosesNoWrite(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	a := open(t, cfg, Options{})
	defer a.end(t)
	a.create(t, "ada@example.org")
	if _, err := a.Operator.RotateKey(t.Context(), flow.ByOperator); err != nil {
		t.Fatal(err)
	}
	old := a.key.ID()
	a.key.Replace(a.key.With(secret.NewKey()))
	a.key.Use(a.key.IDs()[1])
	before := rows(t, a, masterkey.SigningKeys)
	if len(before) == 0 {
		t.Fatal("no row")
	}
	// Another process writes the row between the read and the write.
	written := a.key.Box("keys").Seal([]byte("written meanwhile"), before[0].ID)
	db := meanwhile{a.sealed(), func() {
		if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Reseal(t.Context(), masterkey.SigningKeys, before[0].ID, before[0].Sealed, written)
			return err
		}); err != nil {
			t.Error(err)
		}
	}}
	if _, err := masterkey.Rewrite(t.Context(), db, a.key); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, a, masterkey.SigningKeys); !slices.Equal(got[0].Sealed, written) {
		t.Error("a write at the same time was lost")
	}
	found, err := masterkey.Survey(t.Context(), a.sealed(), a.key)
	if err != nil || masterkey.Left(found) != 0 {
		t.Errorf("left of %s: %+v, %v", old, found, err)
	}
}

// meanwhile does something before each write.
type meanwhile struct {
	masterkey.Database
	do func()
}

func (m meanwhile) Write(ctx context.Context, fn func(masterkey.Store) error) error {
	m.do()
	return m.Database.Write(ctx, fn)
}

func rows(t *testing.T, a *App, place masterkey.Place) (all []masterkey.Row) {
	t.Helper()
	err := a.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = tx.SealedRows(t.Context(), place, "", 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
