package doctor

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"net"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

// dnsOf returns what the doctor finds with a name server.
func dnsOf(t *testing.T, resolver *net.Resolver, change func(*config.Config)) []Finding {
	t.Helper()
	cfg := settings(t, t.TempDir())
	cfg.MailFrom, cfg.SMTPURL, cfg.DKIMSelector = "Example <no-reply@login.portico-mail.de>", "smtp://ada:hunter2@mx.portico-mail.de:587", "s1"
	if change != nil {
		change(&cfg)
	}
	d := newDoctor(t.Context(), cfg)
	d.resolver = resolver
	r := &report{check: "dns"}
	d.sender(t.Context(), r)
	return r.found
}

func rsaRecord(t *testing.T, bits int) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
}

const (
	domain   = "login.portico-mail.de"
	selector = "s1._domainkey." + domain
	policy   = "_dmarc." + domain
)

func TestDNS_Right(t *testing.T) {
	t.Parallel()
	found := dnsOf(t, newNameServer(t, map[string][]string{
		domain:   {"some other record", "v=spf1 ip4:192.0.2.0/24 include:_spf.example.net -all"},
		selector: {rsaRecord(t, 2048)}, policy: {"v=DMARC1; p=quarantine; rua=mailto:x@portico-mail.de"},
	}, map[string][]string{domain: {"mx1.portico-mail.de.", "mx2.portico-mail.de."}}), nil)
	for _, words := range []string{"MX: " + domain + " receives email at mx1.portico-mail.de", "SPF: " + domain + " names its servers, and ends with -all", "DKIM: there is a key at " + selector, "DMARC: " + policy + " asks receivers to quarantine"} {
		holds(t, found, "dns", OK, words)
	}
	if len(found) != 4 {
		t.Errorf("%v", found)
	}
}

func TestDNS_Missing(t *testing.T) {
	t.Parallel()
	found := dnsOf(t, newNameServer(t, nil, nil), nil)
	for words, do := range map[string]string{
		"MX: " + domain + " has none": "enter an MX record at " + domain, "SPF: " + domain + " has none": "v=spf1 a:mx.portico-mail.de -all",
		"DKIM: there is no TXT record at " + selector: "correct mail_dkim_selector", "DMARC: " + domain + " has no record": "enter at _dmarc." + domain + " the TXT record v=DMARC1; p=none",
	} {
		holds(t, found, "dns", Warning, words)
		holds(t, found, "dns", Warning, do)
	}
	found = dnsOf(t, newNameServer(t, nil, nil), func(c *config.Config) { c.DKIMSelector = "" })
	holds(t, found, "dns", Skipped, "mail_dkim_selector is not set")
}

func TestDNS_Wrong(t *testing.T) {
	t.Parallel()
	pub, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := rsaRecord(t, 2048)
	for _, c := range []struct {
		name  string
		texts map[string][]string
		state State
		words string
	}{
		{"two SPF records", map[string][]string{domain: {"v=spf1 -all", "V=SPF1 mx -all"}}, Warning, "has 2 records"},
		{"SPF for all", map[string][]string{domain: {"v=spf1 +all"}}, Warning, "lets every server send"},
		{"SPF without an end", map[string][]string{domain: {"v=spf1 mx"}}, Warning, "does not say what other servers may do"},
		{"SPF with a typing error", map[string][]string{domain: {"v=spf1 ipv4:192.0.2.1 -all"}}, Warning, "the unknown word ipv4:192.0.2.1"},
		{"SPF with many lookups", map[string][]string{domain: {"v=spf1 " + strings.Repeat("include:a.test ", 11) + "-all"}}, Warning, "asks DNS 11 times"},
		{"SPF elsewhere", map[string][]string{domain: {"v=spf1 redirect=_spf.example.net"}}, OK, "ends with redirect"},
		{"SPF that is soft", map[string][]string{domain: {"v=spf1 a/24 mx:x.test ~all"}}, OK, "ends with ~all"},
		{"a record that only begins like SPF", map[string][]string{domain: {"v=spf10 -all"}}, Warning, "SPF: " + domain + " has none"},
		{"a short key", map[string][]string{selector: {rsaRecord(t, 1024)}}, Warning, "has 1024 bits"},
		{"a cut key", map[string][]string{selector: {good[:len(good)-40]}}, Warning, "is cut or changed"},
		{"a revoked key", map[string][]string{selector: {"v=DKIM1; p="}}, Warning, "was revoked"},
		{"no key", map[string][]string{selector: {"hello"}}, Warning, "0 of the records"},
		{"an unknown kind", map[string][]string{selector: {"k=dsa; p=AAAA"}}, Warning, "unknown kind dsa"},
		{"Ed25519", map[string][]string{selector: {"k=ed25519; p=" + base64.StdEncoding.EncodeToString(pub)}}, OK, "there is a key"},
		{"a DMARC record without policy", map[string][]string{policy: {"v=DMARC1; rua=mailto:x@x.de"}}, Warning, "has no policy"},
		{"a DMARC record that watches", map[string][]string{policy: {"v=DMARC1;p=none"}}, OK, "(p=none)"},
		{"two DMARC records", map[string][]string{policy: {"v=DMARC1; p=none", "v=DMARC1; p=reject"}}, Warning, "has 2 records"},
		{"DMARC above", map[string][]string{"_dmarc.portico-mail.de": {"v=DMARC1; p=none; sp=reject"}}, OK, "DMARC: _dmarc.portico-mail.de asks receivers to reject"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			holds(t, dnsOf(t, newNameServer(t, c.texts, nil), nil), "dns", c.state, c.words)
		})
	}
	found := dnsOf(t, newNameServer(t, nil, map[string][]string{domain: {"."}}), nil)
	holds(t, found, "dns", Warning, "says that it receives no email")
}

// Without DNS the answer is unknown, and nothing fails.
func TestDNS_Unknown(t *testing.T) {
	t.Parallel()
	servfail := map[string][]string{domain: {"servfail"}, selector: {"servfail"}, policy: {"servfail"}}
	for name, resolver := range map[string]*net.Resolver{"broken": newNameServer(t, servfail, nil), "none": resolverAt(deafDNS(t))} {
		t.Run(name, func(t *testing.T) {
			found := dnsOf(t, resolver, nil)
			holds(t, found, "dns", Skipped, "unknown, because DNS does not answer")
			if len(found) != 1 {
				t.Errorf("%v", found)
			}
		})
	}
	found := dnsOf(t, newNameServer(t, nil, nil), func(c *config.Config) { c.MailFrom = "no-reply@example.org" })
	holds(t, found, "dns", Skipped, "is a name for examples and tests")
	found = dnsOf(t, newNameServer(t, map[string][]string{"xn--bcher-kva.de": {"v=spf1 -all"}}, nil), func(c *config.Config) { c.MailFrom = "no-reply@bücher.de" })
	holds(t, found, "dns", OK, "SPF: xn--bcher-kva.de")
}

// deafDNS returns an address without a name server.
func deafDNS(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.LocalAddr().String()
}

func TestOwnClock(t *testing.T) {
	t.Parallel()
	kept := func(kept, known bool) func(*doctor) {
		return func(d *doctor) { d.config.Providers, d.kept = nil, func() (bool, bool) { return kept, known } }
	}
	for _, c := range []struct {
		name   string
		change func(*doctor)
		state  State
		words  string
	}{
		{"like a provider", nil, OK, "agree"},
		{"a minute ahead", func(d *doctor) { d.clock = late{time.Minute} }, Warning, "is ahead of http"},
		{"a minute behind", func(d *doctor) { d.clock = late{-time.Minute} }, Warning, "is behind http"},
		{"a day ahead", func(d *doctor) { d.clock = late{24 * time.Hour} }, Failed, "by 2"},
		{"kept", kept(true, true), OK, "a time service keeps"},
		{"not kept", kept(false, true), Warning, "does not say that a time service"},
		{"unknown", kept(false, false), Skipped, "unknown: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t, t.TempDir())
			cfg.Providers = []config.Provider{provider(t)}
			d := newDoctor(t.Context(), cfg)
			if c.change != nil {
				c.change(d)
			}
			r := &report{check: "clock"}
			d.ownClock(t.Context(), r)
			holds(t, r.found, "clock", c.state, c.words)
		})
	}
}

// late is a clock that is ahead.
type late struct{ by time.Duration }

func (l late) Now() time.Time { return time.Now().Add(l.by) }
