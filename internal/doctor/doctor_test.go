package doctor

import (
	"context"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
)

func names(found []Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.Check+"="+string(f.State))
	}
	return strings.Join(all, " ")
}

// While a server runs, all checks pass, no email is sent and no file is
// created.
func TestExamine_AllWell(t *testing.T) {
	t.Parallel()
	mail := newMailServer(t)
	upstream := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	folder := ""
	s := apptest.Start(t, func(c *config.Config) {
		c.SMTPURL, c.MailFrom = "smtp://ada:hunter2@"+mail.addr+"?tls=none", "no-reply@example.org"
		c.App.Upstream, c.SignUp.Mode = upstream, "closed"
		c.Providers = []config.Provider{provider(t)}
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}
		folder, _, _ = strings.Cut(strings.TrimPrefix(c.DatabaseURL, "sqlite:"), "/portico.db")
	})
	before := list(t, folder)
	found := Examine(t.Context(), settingsOf(s), nil)
	if got, want := names(found), "settings=ok secret_file=ok database=ok disk=ok clock=ok outbox=ok passkeys=ok mail=ok dns=skipped provider corp=ok app app=ok server=ok public_url=ok trusted_proxies=ok"; got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, found)
	}
	holds(t, found, "public_url", OK, "this installation")
	holds(t, found, "secret_file", OK, "belongs to this database")
	if got := mail.all(); got != "auth mail" {
		t.Errorf("the mail server got %q", got)
	}
	if got, want := names(Glance(t.Context(), settingsOf(s))), "settings=ok secret_file=ok database=ok disk=ok outbox=ok"; got != want {
		t.Errorf("the quick checks are %s, want %s", got, want)
	}
	if after := list(t, folder); !slices.Equal(before, after) {
		t.Errorf("files before %v, after %v", before, after)
	}
}

func list(t *testing.T, folder string) (all []string) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(folder), ".", func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Without any data all checks run, and nothing is created.
func TestExamine_NothingThere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cfg := settings(t, folder)
	cfg.Providers = []config.Provider{{ID: "corp", Name: "Corp", Preset: "openid", Issuer: "http://" + deaf(t), ClientID: "x", ClientSecret: "hunter3"}}
	gone := serve(t, nil)
	gone.Host = deaf(t)
	cfg.App.Upstream = gone
	cfg.OpsListen = "0.0.0.0:" + port(deaf(t))
	found := Examine(t.Context(), cfg, config.Problems{{Source: "not set", Key: "public_url", Why: "why", Write: "write"}})
	want := "settings=failed settings=warning settings=warning secret_file=ok database=warning disk=ok clock=any outbox=skipped passkeys=skipped mail=failed dns=skipped provider corp=failed app app=failed server=warning public_url=warning"
	got := regexp.MustCompile(`clock=(ok|warning|skipped)`).ReplaceAllString(names(found), "clock=any") // depends on the machine
	if got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, found)
	}
	holds(t, found, "settings", Failed, "not set: public_url: why: write")
	holds(t, found, "settings", Warning, "other machines can reach it") // as in config check
	holds(t, found, "settings", Warning, "sign-up is open, so a stranger with an email address gets into the app")
	holds(t, found, "mail", Failed, ": the mail server cannot be reached (connect: ")
	holds(t, found, "provider corp", Failed, "issuer")
	holds(t, found, "app app", Failed, gone.String()+" does not answer (dial tcp ")
	holds(t, found, "app app", Failed, "correct upstream")
	holds(t, found, "database", Warning, "the first start creates it")
	if got := list(t, folder); len(got) != 1 {
		t.Errorf("files were made: %v", got)
	}
}

// A check ends in time, even if the server that it asks does not respond.
func TestWithin(t *testing.T) {
	t.Parallel()
	d := newDoctor(t.Context(), settings(t, t.TempDir()))
	d.limit = time.Millisecond
	never := make(chan struct{})
	defer close(never)
	found := d.carryOut(t.Context(), []check{
		{name: "deaf", try: func(context.Context, *report) { <-never }},
		{name: "says so", try: func(ctx context.Context, r *report) { <-ctx.Done(); r.add(Failed, "in the middle", "wait") }},
		{name: "quick", try: func(_ context.Context, r *report) { r.add(OK, "", "") }},
	})
	if got := names(found); got != "deaf=failed says so=failed quick=ok" {
		t.Errorf("got %s", got)
	}
	holds(t, found, "deaf", Failed, "no answer within 1ms")
	holds(t, found, "says so", Failed, "in the middle")
}

// A check that panics is a finding, and does not end the server that runs it.
func TestWithin_Panic(t *testing.T) {
	t.Parallel()
	d := newDoctor(t.Context(), settings(t, t.TempDir()))
	d.base = nil // with which no database can be opened
	found := d.carryOut(t.Context(), []check{
		{name: "broken", try: func(_ context.Context, r *report) { r.add(OK, "the first half", ""); panic("out of range") }},
		{name: "database", try: d.databaseItself},
	})
	d.close()
	holds(t, found, "broken", OK, "the first half")
	holds(t, found, "broken", Failed, "the check itself failed: panic: out of range")
	holds(t, found, "database", Failed, "panic: cannot create context from nil parent")
}

// Checks do not guess a setting that could not be read.
func TestExamine_SettingUnread(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load("/does/not/exist.toml", nil)
	if err == nil {
		t.Fatal("it was read")
	}
	for _, f := range Examine(t.Context(), cfg, nil) {
		if f.State != Skipped && f.Check != "settings" {
			t.Errorf("%s", f)
		}
	}
}
