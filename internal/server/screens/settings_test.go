package screens_test

import (
	"net/url"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
)

// No page offers a passkey at an address where no browser makes one.
func TestSettings_PasskeysNeedAName(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"127.0.0.1": "", "localhost": "yes"} {
		s := apptest.Start(t, func(c *config.Config) { c.PublicURL = &url.URL{Scheme: "http", Host: host + ":" + c.PublicURL.Port()} })
		if b := visit(s).opens("/auth/signin"); b.Settings.Passkeys != want {
			t.Errorf("at %s passkeys are %q, want %q", host, b.Settings.Passkeys, want)
		}
	}
}
