package app

import (
	"strings"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/mailer"
)

// takeMail builds the mailer of a configuration that has smtp_url and mail_from. It does not
// connect.
func (p *parts) takeMail(r *config.Report, c clock.Clock) (err error) {
	cfg := p.config
	server, err := mailer.ParseURL(cfg.SMTPURL)
	refuse(r, "smtp_url", cfg.SMTPURL, err)
	for key, box := range map[string]string{"mail_from": cfg.MailFrom, "mail_reply_to": cfg.MailReplyTo} {
		_, err := mailer.ParseMailbox(box)
		refuse(r, key, box, err)
	}
	if len(r.Problems()) > 0 || cfg.SMTPURL == "" || cfg.MailFrom == "" {
		return nil
	}
	roots, err := egress.Roots(cfg.TLS.CAFile)
	if err != nil {
		return err
	}
	p.mailer, err = mailer.New(mailer.Config{
		Server: server, RootCAs: roots, From: cfg.MailFrom, ReplyTo: cfg.MailReplyTo, PublicURL: publicURL(cfg).String(),
		Imprint: cfg.Legal.Imprint, Privacy: cfg.Legal.Privacy, Terms: cfg.Legal.Terms,
		Brand: cfg.Brand.Name, Look: p.theme.Mail(), Catalogue: p.catalogue, Clock: c,
	})
	return err
}

// refuse adds the error of a setting that has a value. Its text is what is wrong, and after a
// colon what to write.
func refuse(r *config.Report, key, value string, err error) {
	if value == "" || err == nil {
		return
	}
	why, write, _ := strings.Cut(err.Error(), ": ")
	r.Add(key, why, write)
}
