package doctor

import (
	"context"
	"crypto/x509"
	"errors"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/mailer"
	"portico/internal/server/gateway"
)

// mail tests an SMTP delivery up to the sender. It names no recipient.
func (d *doctor) mail(ctx context.Context, r *report) {
	if d.config.SMTPURL == "" || d.config.MailFrom == "" {
		r.add(Skipped, "smtp_url or mail_from is not set", "")
		return
	}
	server, err := mailer.ParseURL(d.config.SMTPURL)
	if err != nil {
		r.add(Failed, err.Error(), "correct smtp_url")
		return
	}
	m, err := app.Mailer(d.config, nil, d.clock)
	if err == nil {
		err = m.Check(ctx)
	}
	if err == nil {
		how := map[mailer.Security]string{mailer.StartTLS: "STARTTLS", mailer.ImplicitTLS: "TLS", mailer.Plain: "unencrypted, on this machine"}[server.Security]
		login := "without logging in"
		if server.Username != "" {
			login = "logged in"
		}
		r.add(OK, server.String()+" ("+how+", "+login+") accepts email from "+d.config.MailFrom, "")
		return
	}
	why, do := "", "check smtp_url and mail_from"
	if failure, ok := errors.AsType[*mailer.Error](err); ok {
		why, do = failure.Words(), failure.Advice()
	}
	if unknownAuthority(err) {
		do = trustAuthority
	}
	r.add(Failed, server.String()+": "+because(why, err.Error()), do)
}

const trustAuthority = "if its authority is your own, write its certificate into a file and the path into tls.ca_file"

// unknownAuthority reports whether this machine does not trust the authority of a server's
// certificate.
func unknownAuthority(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	return unknown
}

func (d *doctor) providerChecks() (all []check) {
	for _, p := range d.config.Providers {
		prefix := "providers." + p.ID + "."
		all = append(all, check{"provider " + p.ID, []string{prefix + "issuer", prefix + "preset", prefix + "client_id"}, func(ctx context.Context, r *report) {
			d.provider(ctx, r, p)
		}})
	}
	return all
}

// provider fetches the discovery document and the keys through the egress
// client.
func (d *doctor) provider(ctx context.Context, r *report, p config.Provider) {
	one := d.config
	one.Providers = []config.Provider{p} // other providers have their own checks
	service, err := app.Providers(one, d.clock)
	if err != nil {
		r.add(Skipped, "its settings are invalid", "")
		return
	}
	publishes, err := service.Check(ctx, p.ID)
	switch {
	case errors.Is(err, egress.ErrRefused):
		r.add(Failed, because("it is not called", err.Error()), "a provider in your own network must have all its URLs at the origin of its issuer")
	case unknownAuthority(err):
		r.add(Failed, because("its certificate is not trusted", err.Error()), trustAuthority)
	case err != nil:
		r.add(Failed, because("its discovery document or keys cannot be read", err.Error()), "check its issuer, and that this machine can reach it; users cannot sign in with it until then")
	case publishes:
		r.add(OK, "its discovery document and keys can be read", "")
	default:
		r.add(OK, "it publishes nothing that can be tested", "")
	}
}

func (d *doctor) appChecks() (all []check) {
	apps, _ := app.Apps(d.config) // the settings check reports their problems
	for i, served := range d.config.Served() {
		if served.Upstream == nil {
			continue // another proxy forwards
		}
		setting := served.Setting("upstream", -1)
		all = append(all, check{"app " + served.Name, []string{setting}, func(ctx context.Context, r *report) {
			d.app(ctx, r, apps[i], setting)
		}})
	}
	return all
}

// app sends the request of the gateway's health check.
func (d *doctor) app(ctx context.Context, r *report, a gateway.App, setting string) {
	if err := gateway.Ask(ctx, a); err != nil {
		do := "start it, or correct " + setting
		if unknownAuthority(err) {
			do = trustAuthority
		}
		r.add(Failed, because(a.Upstream.String()+" does not answer", err.Error()), do)
		return
	}
	r.add(OK, a.Upstream.String()+" answers", "")
}
