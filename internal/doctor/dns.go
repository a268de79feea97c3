package doctor

import (
	"context"
	"errors"
	"net"
	"net/mail"
	"strings"
	"sync"

	"golang.org/x/net/idna"

	"portico/internal/mailer"
)

// records is what DNS has at one name. An error means that this is unknown.
type records struct {
	name string
	list []string
	err  error
}

// sender judges what DNS says about the domain of the sender: whether receivers
// can tell its emails from forged ones.
func (d *doctor) sender(ctx context.Context, r *report) {
	from, err := mail.ParseAddress(d.config.MailFrom)
	if err != nil {
		r.add(Skipped, "mail_from is not set", "")
		return
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	domain, err = idna.Lookup.ToASCII(domain)
	switch {
	case err != nil:
		r.add(Failed, "the domain of mail_from is not a valid name: "+err.Error(), "correct mail_from")
		return
	case reserved(domain):
		r.add(Skipped, domain+" is a name for examples and tests", "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	var work sync.WaitGroup
	var mx, spf, dkim, dmarc records
	work.Go(func() { mx = d.exchangers(ctx, domain) })
	work.Go(func() { spf = d.texts(ctx, domain, "v=spf1") })
	work.Go(func() { dmarc = d.policy(ctx, domain) })
	if selector := d.config.DKIMSelector; selector != "" {
		work.Go(func() { dkim = d.texts(ctx, selector+"._domainkey."+domain, "") })
	}
	work.Wait()
	if unknown := errors.Join(mx.err, spf.err, dkim.err, dmarc.err); unknown != nil {
		r.add(Skipped, "unknown, because DNS does not answer: "+unknown.Error(), "")
	}
	server := ""
	if s, err := mailer.ParseURL(d.config.SMTPURL); err == nil {
		server = s.Host
	}
	judgeMX(r, mx)
	judgeSPF(r, spf, server)
	if d.config.DKIMSelector == "" {
		r.add(Skipped, "DKIM is unknown: mail_dkim_selector is not set", "")
	} else {
		judgeDKIM(r, dkim)
	}
	judgeDMARC(r, dmarc, domain)
}

// reserved reports whether DNS cannot have a mail domain of the name (RFC 2606, RFC 6762).
func reserved(domain string) bool {
	domain = "." + strings.ToLower(domain)
	for _, end := range []string{".test", ".example", ".invalid", ".localhost", ".local", ".example.com", ".example.net", ".example.org"} {
		if strings.HasSuffix(domain, end) {
			return true
		}
	}
	return false
}

// texts returns the TXT records of a name that begin with a version.
func (d *doctor) texts(ctx context.Context, name, version string) records {
	all, err := d.resolver.LookupTXT(ctx, name+".")
	found := records{name: name, err: known(err)}
	for _, text := range all {
		begin, _, _ := strings.Cut(strings.ReplaceAll(text, ";", " "), " ")
		if version == "" || strings.EqualFold(begin, version) {
			found.list = append(found.list, text)
		}
	}
	return found
}

// policy returns the DMARC records of a domain, or of the nearest domain above it
// that has some (RFC 7489 6.6.3).
func (d *doctor) policy(ctx context.Context, domain string) records {
	for {
		found := d.texts(ctx, "_dmarc."+domain, "v=DMARC1")
		_, above, _ := strings.Cut(domain, ".")
		if found.err != nil || len(found.list) > 0 || !strings.Contains(above, ".") {
			return found
		}
		domain = above
	}
}

func (d *doctor) exchangers(ctx context.Context, domain string) records {
	all, err := d.resolver.LookupMX(ctx, domain+".")
	found := records{name: domain, err: known(err)}
	for _, mx := range all {
		found.list = append(found.list, mx.Host)
	}
	return found
}

// known returns nil if DNS says that there is no such record.
func known(err error) error {
	if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound {
		return nil
	}
	return err
}
