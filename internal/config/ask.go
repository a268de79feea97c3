package config

import (
	"net/url"

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
	checkPrivate("signup.ask", s.Ask, s.AskPrivate, "addresses of people", "the app", add)
	if s.AskSecret == "" {
		add("signup.ask_secret", "the app has no secret, and could not tell Portico from others", "write the secret that echo whsec_$(openssl rand -base64 32) prints, or signup.ask_secret_file")
	}
}

// checkPrivate adds a problem of an address that needs the setting with the suffix _private.
func checkPrivate(key, address string, private bool, what, who string, add func(key, why, write string, others ...string)) {
	u, err := url.Parse(address)
	switch {
	case err != nil || private:
	case u.Scheme != "https":
		add(key, what+" would be sent unencrypted", "write an https address, or "+key+"_private = true if "+who+" is in your own network", key+"_private")
	case origin.IsLoopback(u.Hostname()):
		add(key, u.Hostname()+" is this machine", "write "+key+"_private = true if "+who+" is on it", key+"_private")
	}
}
