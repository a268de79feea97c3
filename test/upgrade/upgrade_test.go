package upgrade

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/store"
)

const (
	mara     = "mara@example.org"
	password = "copper lantern over seven hills"
)

// Each released version is upgraded to this one in one step. No row is lost, and
// its users sign in with their passwords.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	versions, err := os.ReadDir("testdata")
	if err != nil || len(versions) == 0 {
		t.Fatalf("there is no version: %v", err)
	}
	for _, v := range versions {
		t.Run(v.Name(), func(t *testing.T) {
			both(t, func(e engine) { e.upgrade(v.Name()) })
		})
	}
}

func (e engine) upgrade(version string) {
	e.Helper()
	e.load(version)
	before := e.counts()
	for table, n := range before {
		if n == 0 {
			e.Errorf("the database of %s has no row in %s", version, table)
		}
	}
	e.migrate()
	after := e.counts()
	for table, n := range before {
		if left, kept := after[table]; !kept || left != n {
			e.Errorf("%s had %d rows in %s; after the upgrade it has %d (there: %v)", version, n, table, left, kept)
		}
	}
	e.Logf("%d tables from %s, %d now", len(before), version, len(after))
	a := e.open(key(e.T, version), "")
	defer a.Close()
	e.signIn(a)
	e.read(a)
	u, err := a.Operator.User(e.Context(), mara)
	if err != nil || u.Name != "Mara Lind" || len(u.Roles) != 1 || u.Roles[0] != "admin" {
		e.Errorf("the account is %+v (%v)", u, err)
	}
}

// migrate brings the database to the schema of this version.
func (e engine) migrate() {
	e.Helper()
	s, err := store.Open(e.Context(), store.Config{URL: e.url})
	if err != nil {
		e.Fatal(err)
	}
	_, err = s.Migrate(e.Context())
	if closed := s.Close(); err != nil || closed != nil {
		e.Fatal(err, closed)
	}
}

// read reads every row that names the account of mara.
func (e engine) read(a *app.App) {
	e.Helper()
	err := a.Store.Read(e.Context(), func(tx *store.Tx) error {
		owner, _, err := tx.AccountByKey(e.Context(), mara)
		if err != nil {
			return err
		}
		data, err := tx.AccountData(e.Context(), owner, time.Now())
		if err == nil {
			_, err = json.Marshal(data)
		}
		return err
	})
	if err != nil {
		e.Error(err)
	}
}

// open opens an application as `portico serve` does.
func (e engine) open(secret, next string) *app.App {
	e.Helper()
	cfg := config.Default()
	cfg.PublicURL = parse(e.T, "https://portico.test")
	cfg.DatabaseURL, cfg.SecretFile, cfg.SecretNext = e.url, secret, next
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@portico.test"
	a, err := app.New(e.Context(), cfg, app.Options{})
	if err != nil {
		e.Fatal(err)
	}
	return a
}

func (e engine) signIn(a *app.App) {
	e.Helper()
	if _, err := a.Flows.SignIn(e.Context(), caller, flow.SignInInput{Email: mara, Password: password}); err != nil {
		e.Errorf("mara cannot sign in: %v", err)
	}
}

var caller = flow.Caller{Peer: "192.0.2.1/32", Locale: "en", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
