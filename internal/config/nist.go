package config

import (
	"slices"
	"time"
)

// profileNIST is the value of Profile for NIST SP 800-63B-4 at AAL2.
const profileNIST = "nist"

// The longest sessions at AAL2 (2.2.3).
const (
	nistAbsolute = 24 * time.Hour
	nistIdle     = time.Hour
)

// assumeNIST sets what the profile requires, unless the operator has set it.
func (c *Config) assumeNIST() {
	for name, assume := range map[string]func(){
		"password.profile": func() { c.Password.Profile = "nist" },
		"session.absolute": func() { c.Session.Absolute = nistAbsolute },
		"session.idle":     func() { c.Session.Idle = min(nistIdle, c.Session.Absolute) },
		"mfa.require":      func() { c.MFA.Require = []string{RequireAll} },
		"mfa.grace":        func() { c.MFA.Grace = 0 },
		"mfa.trust":        func() { c.MFA.Trust = false },
	} {
		if !c.IsSet(name) {
			assume()
		}
	}
}

// checkNIST finds settings that are weaker than the profile. Numbers that no setting
// changes have a test in package flow.
func (c *Config) checkNIST(add func(key, why, write string, others ...string)) {
	for _, r := range []struct {
		key   string
		weak  bool
		write string
	}{
		{"password.profile", c.Password.Profile != "nist", `"nist"`},
		{"session.absolute", c.Session.Absolute > nistAbsolute, formatDuration(nistAbsolute) + " or less"},
		{"session.idle", c.Session.Idle > nistIdle, formatDuration(nistIdle) + " or less"},
		{"mfa.require", !slices.Contains(c.MFA.Require, RequireAll), `["all"]`},
		{"mfa.grace", c.MFA.Grace > 0, `"0s"`},
		{"mfa.trust", c.MFA.Trust, "false: a trusted browser does not replace a second factor"},
		{"signin.code", c.SignIn.Code, "false: an emailed code does not count as a factor"},
		{"signin.legacy", c.SignIn.Legacy != "", `"": another system must not get passwords`},
		{"passkeys", !c.Passkeys, "true: users need a sign-in that resists phishing"},
	} {
		if r.weak {
			add(r.key, "the profile nist requires more", "write "+r.write+", or profile = \"standard\"", "profile")
		}
	}
}
