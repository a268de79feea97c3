package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"portico/internal/certificate"
	"portico/internal/clock"
	"portico/internal/origin"
	"portico/internal/secret"
)

// check finds values that are valid alone and contradict each other.
func (c *Config) check() Problems {
	r := c.Report()
	add := r.Add
	if c.Session.Idle > c.Session.Absolute {
		add("session.idle", "it is longer than session.absolute", "write at most "+formatDuration(c.Session.Absolute), "session.absolute")
	}
	if least := c.Password.least(); c.Password.Min != 0 && c.Password.Min < least {
		add("password.min", fmt.Sprintf("%d is less than the profile %s requires", c.Password.Min, c.Password.Profile), fmt.Sprintf("write %d or more, or 0", least), "password.profile")
	}
	if sameListener(c.Listen, c.OpsListen) {
		add("ops_listen", "it is the address of the public listener", "write another port, such as 127.0.0.1:9080", "listen")
	}
	if path, ok := strings.CutPrefix(c.DatabaseURL, "sqlite:"); ok && filepath.Clean(path) == filepath.Clean(c.SecretFile) {
		add("secret_file", "it is the file of the database", "write another path, such as portico-data/secret.key", "database_url")
	}
	if u, err := url.Parse(c.ReturnDefault); err == nil && u.Host != "" && !slices.Contains(c.ReturnOrigins, origin.Of(u)) {
		add("return_default", origin.Of(u)+" is not one of return_origins", "add it there, or write a path", "return_origins")
	}
	switch l := c.Legal; {
	case l.Terms != "" && l.TermsVersion == "":
		add("legal.terms_version", "users accept a version of the terms, and its name is missing", "write it, such as the date of the terms: 2026-01", "legal.terms")
	case l.Terms == "" && l.TermsVersion != "":
		add("legal.terms", "the terms have a version but no page", "write the address of the page, such as https://example.com/terms", "legal.terms_version")
	}
	if c.Profile == profileNIST {
		c.checkNIST(add)
	}
	c.checkApps(add)
	c.checkClients(add)
	c.checkWebhooks(add)
	c.checkLegacy(add)
	c.checkAsk(add)
	c.checkTLS(add)
	if t := c.Tracing; t.Header != "" && t.Endpoint != nil && t.Endpoint.Scheme == "http" && !origin.IsLoopback(t.Endpoint.Hostname()) {
		add("tracing.endpoint", "tracing.header would be sent unencrypted", "write an https address, or one of this machine", "tracing.header")
	}
	for _, p := range c.Providers {
		prefix := "providers." + p.ID + "."
		if p.ClientID == "" {
			add(prefix+"client_id", "the provider is incomplete", "write the client id from your registration with the provider")
		}
		if p.ClientSecret == "" && p.PrivateKey == "" {
			add(prefix+"client_secret", "the provider is incomplete", "write the client secret from that registration, or "+prefix+"client_secret_file", prefix+"private_key")
		}
		if meant, ok := Nearest(p.ID, presets()); ok && p.Preset == "openid" && p.Issuer == "" && !c.IsSet(prefix+"preset") {
			add("providers."+p.ID, "there is no preset of this name, and the provider has no issuer", "write [providers."+meant+"], or set the issuer of your own provider", prefix+"preset", prefix+"issuer")
			continue
		}
		if p.Preset == "openid" && p.Issuer == "" {
			add(prefix+"issuer", "this provider has no preset", "write its issuer, such as https://id.example.com, or "+prefix+"preset", prefix+"preset")
		}
		if p.Preset == "openid" && p.Name == "" {
			add(prefix+"name", "this provider has no preset", "write the name for its button", prefix+"preset")
		}
	}
	return r.problems
}

// least returns the shortest password that the profile allows, in code points.
func (p Password) least() int {
	if p.Profile == "nist" {
		return 15
	}
	return 8
}

// CheckServe returns the Problems that stop `portico serve`: missing settings
// that `portico dev` provides itself, and a secret file that is missing,
// unreadable or open to other users.
func (c *Config) CheckServe() error {
	r := c.Report()
	add := r.Add
	if c.PublicURL == nil {
		add("public_url", "it is missing, and links in emails and cookies are built from it", "write the address that browsers use, such as https://login.example.com")
	}
	if c.SMTPURL == "" {
		add("smtp_url", "it is missing, and signing up and resetting a password send emails", "write your mail server: smtp://user:password@host:587")
	}
	if c.MailFrom == "" {
		add("mail_from", "it is missing, and emails need a sender", "write an address that your mail server may send from: no-reply@example.com")
	}
	if c.TLS.CertFile != "" && c.TLS.KeyFile != "" {
		if err := certificate.Check(c.TLS.CertFile, c.TLS.KeyFile, c.Hosts(), clock.System{}.Now()); err != nil {
			add("tls.cert_file", err.Error(), "write the path of a certificate that is valid for every host, and the path of its key", "tls.key_file")
		}
	}
	_, err := secret.ReadKey(c.SecretFile)
	switch sqlite := strings.HasPrefix(c.DatabaseURL, "sqlite:"); {
	case errors.Is(err, secret.ErrNoKey) && sqlite: // the first start creates it
	case errors.Is(err, secret.ErrNoKey):
		add("secret_file", c.SecretFile+" does not exist, and nodes that share a database share its key", "copy it from a node that runs, or make it once with 'portico config new-key'")
	case err != nil:
		why, write, _ := strings.Cut(err.Error(), ": ") // the error of package secret includes advice
		add("secret_file", why, write)
	}
	c.checkNext(add)
	return r.Err()
}

// checkNext checks the file of the second master key.
func (c *Config) checkNext(add func(key, why, write string, others ...string)) {
	if c.SecretNext == "" {
		return
	}
	switch _, err := secret.ReadKey(c.SecretNext); {
	case errors.Is(err, secret.ErrNoKey):
		add("secret_next_file", c.SecretNext+" does not exist", "make it with 'portico secret new', or copy it from another node")
	case err != nil:
		why, write, _ := strings.Cut(err.Error(), ": ")
		add("secret_next_file", why, write)
	}
}

// Source returns where the value of a setting comes from, for a Problem. For a
// list item it is the line of the item. For a missing setting it is the line of
// its table.
func (c *Config) Source(key string) string {
	for name, more := key, true; more; {
		if s, ok := c.sources[name]; ok {
			return s
		}
		at := strings.LastIndexByte(name, '.')
		if more = at >= 0; more {
			name = name[:at]
		}
	}
	for _, k := range keys() {
		if shown := k.get(c); k.name == key && shown != `""` && shown != "[]" {
			return "default"
		}
	}
	return "not set"
}
