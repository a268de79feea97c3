package config

import (
	"net/url"
	"strings"

	"portico/internal/origin"
)

const writeAsk = "write https://app.example.com/portico-sign-up"

// checkAsk adds problems of the settings of the question at sign-up.
func (c *Config) checkAsk(add func(key, why, write string, others ...string)) {
	s := c.SignUp
	if s.Ask == "" {
		if s.AskSecret != "" || s.AskSecretNext != "" || s.AskPrivate || s.AskFailure != Default().SignUp.AskFailure {
			add("signup.ask", "the app that is asked has no address", writeAsk+", or remove its other settings")
		}
		return
	}
	checkPrivate("signup.ask", "signup.ask_private", s.Ask, s.AskPrivate, "addresses of people", "the app", add)
	if s.AskSecret == "" {
		add("signup.ask_secret", "the app has no secret, and could not tell Portico from others", "write the secret that echo whsec_$(openssl rand -base64 32) prints, or signup.ask_secret_file")
	}
}

// checkPrivate adds a problem of an address that needs the setting named flag.
func checkPrivate(key, flag, address string, private bool, what, who string, add func(key, why, write string, others ...string)) {
	u, err := url.Parse(address)
	written := flag
	if _, _, ok := tableOf(flag); ok { // stands in a table of its own
		written = flag[strings.LastIndexByte(flag, '.')+1:]
	}
	switch {
	case err != nil || private:
	case u.Scheme != "https":
		add(key, what+" would be sent unencrypted", "write an https address, or "+written+" = true if "+who+" is in your own network", flag)
	case origin.IsLoopback(u.Hostname()):
		add(key, u.Hostname()+" is this machine", "write "+written+" = true if "+who+" is on it", flag)
	}
}
