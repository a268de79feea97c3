package config

import "time"

const writeLegacy = "write https://old.example.com/portico-password"

func checkDay(s string) (string, *mistake) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", &mistake{quoted(s) + " is not a day", "write one such as 2027-01-31"}
	}
	return s, nil
}

// checkLegacy adds problems of the settings of the former system.
func (c *Config) checkLegacy(add func(key, why, write string, others ...string)) {
	s := c.SignIn
	if s.Legacy == "" {
		if s.LegacySecret != "" || s.LegacySecretNext != "" || s.LegacyUntil != "" || s.LegacyPrivate {
			add("signin.legacy", "the former system has no address", writeLegacy+", or remove its other settings")
		}
		return
	}
	checkPrivate("signin.legacy", "signin.legacy_private", s.Legacy, s.LegacyPrivate, "passwords", "the former system", add)
	if s.LegacySecret == "" {
		add("signin.legacy_secret", "without a secret, the former system would answer strangers who guess passwords", "write the secret that echo whsec_$(openssl rand -base64 32) prints, or signin.legacy_secret_file")
	}
	if s.LegacyUntil == "" {
		add("signin.legacy_until", "the former system would be asked for ever", "write the last day, such as 2027-01-31")
	}
}
