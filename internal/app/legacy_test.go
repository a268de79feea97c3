package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/legacy"
	"portico/internal/signature"
)

func former(t *testing.T, until string) config.Config {
	t.Helper()
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	cfg.SignIn = config.SignIn{Legacy: "https://old.test/check", LegacySecret: signature.NewKey(), LegacyUntil: until}
	return cfg
}

func TestLegacy_LastDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 23, 59, 59, 0, time.UTC)
	for until, want := range map[string]struct{ refused, warned string }{
		"2027-05-05": {"more than a year ahead: write 2027-05-04", ""},
		"2027-05-04": {"", ""},
		"2026-05-18": {"", ""},
		"2026-05-17": {"", "for the last time on 2026-05-17: email people"},
		"2026-05-04": {"", "for the last time on 2026-05-04"},
		"2026-05-03": {"", "not asked anymore since 2026-05-03: remove"},
	} {
		cfg := former(t, until)
		_, err := prepare(cfg, clock.NewManual(now), Options{})
		r := cfg.Report()
		warnOfLegacy(cfg, r, now)
		refused, warned := "", ""
		if err != nil {
			refused = err.Error()
		}
		if all := r.Problems(); len(all) > 0 {
			warned = all[0].String()
		}
		if (refused == "") != (want.refused == "") || !strings.Contains(refused, want.refused) || (warned == "") != (want.warned == "") || !strings.Contains(warned, want.warned) {
			t.Errorf("until %s: refused %q, warned %q", until, refused, warned)
		}
	}
}

// A reload that changes nothing about the former system loses no answer. Another one ends what is under way, and
// the counts and places go on.
func TestLegacy_Reload(t *testing.T) {
	t.Parallel()
	cfg := former(t, time.Now().UTC().AddDate(0, 1, 0).Format(time.DateOnly))
	next := cfg
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return next, nil }})
	r := run(t, a)
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	reload := func(change func(*config.Config)) *legacy.Keeper {
		t.Helper()
		change(&next)
		if result := a.Reload(t.Context()); len(result.Problems) > 0 {
			t.Fatal(result.Problems)
		}
		return a.live.Load().legacy
	}
	first := a.live.Load().legacy
	if same := reload(func(c *config.Config) { c.SignUp.Mode = "closed" }); same != first || !same.On() {
		t.Error("another setting has replaced it")
	}
	if other := reload(func(c *config.Config) { c.SignIn.LegacySecretNext = signature.NewKey() }); other == first || first.On() || !other.On() || len(other.Keys) != 2 {
		t.Error("another secret has not replaced it")
	}
	if none := reload(func(c *config.Config) { c.SignIn = config.SignIn{} }); none.On() {
		t.Error("it is on without the setting")
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}
