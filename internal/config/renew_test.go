package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/config"
)

func shown(c config.Config) map[string]string {
	values := map[string]string{}
	for _, e := range c.Entries() {
		values[e.Key] = e.Value
	}
	return values
}

// The settings that need a restart keep their value, and every other one takes
// the new value. The sample everything sets each setting.
func TestRenew_EverySetting(t *testing.T) {
	t.Parallel()
	running := config.Default()
	read, err := config.Load(write(t, "portico.toml", everything), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := running.Renew(read)
	if err != nil {
		t.Fatal(err)
	}
	before, then, after := shown(running), shown(read), shown(r.Config)
	for key, set := range then {
		stays, want := slices.Contains(fixed(), key), set
		if stays {
			want = before[key]
		}
		if after[key] != want {
			t.Errorf("%s is %s after a reload, want %s", key, after[key], want)
		}
		inTable := slices.ContainsFunc([]string{"providers.", "app.", "client.", "webhook."}, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) // running has none
		if before[key] != set && !inTable && (slices.Contains(r.Restart, key) != stays || slices.Contains(r.Changed, key) == stays) {
			t.Errorf("%s: changed %v, restart %v", key, r.Changed, r.Restart)
		}
	}
	if want := []string{`app "shop"`, `app "wiki"`, `client "bank"`, `client "miniflux"`, `client "notes"`, `provider "corp"`, `provider "google"`, `webhook "shop"`}; !slices.Equal(r.Added, want) {
		t.Errorf("added %v, want %v", r.Added, want)
	}
	for _, key := range fixed() {
		if _, known := then[key]; !known {
			t.Errorf("there is no setting %s", key)
		}
	}
}

// A value that fits its own file may contradict one that stays.
func TestRenew_ChecksWhatStays(t *testing.T) {
	t.Parallel()
	running := config.Default()
	read, err := config.Load(write(t, "portico.toml", "listen = \"127.0.0.1:8081\"\nupstream = \"http://127.0.0.1:8080\"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = running.Renew(read)
	problems, _ := errors.AsType[config.Problems](err)
	if len(problems) != 1 || problems[0].Key != "upstream" {
		t.Errorf("an app at the address where Portico keeps listening: %v", err)
	}
}

// A secret that changes is a change, and an app that is gone has changed too.
func TestRenew_NamesWhatIsHiddenOrGone(t *testing.T) {
	t.Parallel()
	load := func(text string) config.Config {
		c, err := config.Load(write(t, "portico.toml", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	running := load("[[app]]\nname = \"shop\"\nupstream = \"http://127.0.0.1:3000\"\n[providers.google]\nclient_id = \"a\"\nclient_secret = \"b\"\n")
	r, err := running.Renew(load("[providers.google]\nclient_id = \"a\"\nclient_secret = \"c\"\n"))
	if err != nil || !slices.Equal(r.Removed, []string{`app "shop"`}) || !slices.Equal(r.Changed, []string{`provider "google": client_secret`}) || len(r.Added)+len(r.Restart) > 0 {
		t.Errorf("%+v, restart %v (%v)", r.Difference, r.Restart, err)
	}
}

// A table has the name of its id, not its number: removing the first one changes no other.
func TestRenew_NamesTablesByTheirIDs(t *testing.T) {
	t.Parallel()
	client := func(id, more string) string {
		return "[[client]]\nid = \"" + id + "\"\npublic = true\nredirect_uris = [\"https://" + id + ".test/cb\"]\n" + more
	}
	app := func(name, rule string) string {
		return "[[app]]\nname = \"" + name + "\"\npath = \"/" + name + "\"\nrules = [\"" + rule + " /" + name + "/*\"]\n"
	}
	load := func(text string) config.Config {
		c, err := config.Load(write(t, "portico.toml", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	running := load(client("first", "") + client("second", "") + client("third", "") + app("shop", "public") + app("wiki", "public"))
	r, err := running.Renew(load(client("third", "") + client("tracker", "") + client("second", "name = \"B\"\n") + app("wiki", "signed-in") +
		"[providers.google]\nclient_id = \"a\"\nclient_secret = \"b\"\n"))
	want := config.Difference{
		Added:   []string{`client "tracker"`, `provider "google"`},
		Removed: []string{`app "shop"`, `client "first"`},
		Changed: []string{`app "wiki": rules`, `client "second": name`},
	}
	if diff := cmp.Diff(want, r.Difference); diff != "" || err != nil {
		t.Errorf("the difference (-want +got), %v:\n%s", err, diff)
	}
}

// fixed returns the settings that Renew leaves as they are.
func fixed() []string {
	return []string{
		"public_url", "listen", "ops_listen", "database_url",
		"password.hash", "password.signins_per_second", "hashing.memory_mib", "hashing.passes", "hashing.slots", "hashing.queue",
		"tls.cert_file", "tls.key_file", "tls.acme", "tls.acme_directory", "tls.acme_email", "tls.http_listen",
		"log.level", "log.format", "tracing.endpoint", "tracing.header", "tracing.sample_ratio",
	}
}
