package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOwnSettings_AreSettings(t *testing.T) {
	t.Parallel()
	for _, name := range ownSettings() {
		if !slices.ContainsFunc(keys(), func(k key) bool { return k.name == name }) {
			t.Errorf("there is no setting %s", name)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	c := Default()
	if shared := c.Shared(); len(shared) != 0 {
		t.Errorf("by default %v", shared)
	}
	c.Listen, c.DatabaseURL, c.Log.Level, c.Hashing.Slots = "127.0.0.1:1", "postgres://b/portico", "debug", 7
	c.SMTPURL, c.SecretFile = "smtp://user:secret@mail.test", "elsewhere"
	if shared := c.Shared(); len(shared) != 0 {
		t.Errorf("settings of one node are shared: %v", shared)
	}
	c.Session.Idle, c.SignUp.Mode = time.Hour, "closed"
	p := c.provider("google")
	p.ClientID, p.ClientSecret = "client", "very secret"
	c.Apps = []App{{Name: "shop", Rules: []string{"signed-in /*"}}}
	shared := c.Shared()
	for _, name := range []string{"session.idle", "signup.mode", `provider "google": client_id`, `app "shop": rules`} {
		if shared[name] == "" {
			t.Errorf("%s is not among %v", name, slices.Sorted(maps.Keys(shared)))
		}
	}
	for name, value := range shared {
		if strings.Contains(value, "very secret") {
			t.Errorf("%s contains a secret", name)
		}
	}
	p.ClientSecret = "another secret"
	other, again := c.Shared(), c.Shared()
	for name, value := range shared {
		if changed := name == `provider "google": client_secret`; changed != (other[name] != value) || other[name] != again[name] {
			t.Errorf("with another secret of the provider %s differs: %v", name, other[name] != value)
		}
	}
	p.ClientSecret = ""
	if _, ok := c.Shared()[`provider "google": client_secret`]; ok {
		t.Error("a secret that is not set is among them")
	}
}
