package doctor

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"portico/internal/origin"
	"portico/internal/server"
	"portico/internal/server/gateway"
	"portico/internal/session"
	"portico/internal/store"
)

// certificateLeft is the remaining lifetime of a certificate that causes a
// warning. ACME clients usually renew with thirty days left.
const certificateLeft = 14 * 24 * time.Hour

// public takes the path of a browser: from the public URL through the proxy to
// this installation.
func (d *doctor) public(ctx context.Context, r *report) {
	if d.config.PublicURL == nil {
		r.add(Skipped, "not set", "")
		return
	}
	site := origin.Of(d.config.PublicURL)
	if _, err := net.DefaultResolver.LookupHost(ctx, d.config.PublicURL.Hostname()); err != nil {
		r.add(Failed, because("no address of "+d.config.PublicURL.Hostname()+" is found", err.Error()), "add a DNS record that points to your proxy, or correct public_url")
		return
	}
	a, err := d.get(ctx, site, "/auth/api/session")
	if err != nil {
		d.missed(r, site, err)
		return
	}
	if a.code == session.CodeRequired {
		d.arrived(ctx, r, site, a)
		return
	}
	switch {
	case a.code == server.CodeHost:
		r.add(Failed, "the proxy in front changes the Host header", "configure it to pass Host on as the browser sent it (nginx: proxy_set_header Host $http_host)")
	case a.status/100 == 3:
		r.add(Failed, fmt.Sprintf("%s answers with a redirect (%d)", site, a.status), "set public_url to the address that users end up at, and forward that address to Portico")
	case a.code == "" && (a.status == http.StatusBadGateway || a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout):
		d.notBehind(r, fmt.Sprintf("the proxy in front answers %d", a.status), "check where the proxy forwards to, and listen")
	case a.code != "":
		r.add(Failed, fmt.Sprintf("Portico answers %d (%s)", a.status, a.code), "check its log")
	default:
		r.add(Failed, fmt.Sprintf("another program answers at %s/auth/ (%d)", site, a.status), "configure the proxy in front to forward /auth/ to Portico with the path unchanged")
	}
}

// arrived checks whether the responding Portico is this installation, and
// whether it trusts the proxy.
func (d *doctor) arrived(ctx context.Context, r *report, site string, a answer) {
	found := "browsers reach a Portico installation, but it is unknown if it is this one"
	switch same, known := d.same(ctx, site); {
	case known && !same:
		r.add(Failed, "another installation answers at "+site+": it has other signing keys", "check where the proxy in front forwards to, and database_url")
		return
	case known:
		found = "browsers reach this installation"
	}
	if left := a.expires.Sub(d.clock.Now()); !a.expires.IsZero() && left < certificateLeft {
		r.add(Warning, found+"; the certificate expires in "+left.Round(time.Hour).String(), "check what renews it")
	} else {
		r.add(OK, found, "")
	}
	if len(d.config.TrustedProxies) > 0 { // without any, the settings check warns
		t := &report{check: "trusted_proxies"}
		d.trusted(ctx, t, site)
		r.found = append(r.found, t.found...)
	}
}

// same reports whether the Portico at the public URL publishes a signing key of
// this database. known is false if either side has no keys or if the keys
// cannot be fetched.
func (d *doctor) same(ctx context.Context, site string) (same, known bool) {
	db := d.database()
	if db.err != nil || db.facts.Schema != db.facts.Newest {
		return false, false
	}
	var ours []string
	err := db.store.Read(ctx, func(tx *store.Tx) error {
		kept, err := tx.SigningKeys(ctx)
		for _, k := range kept {
			ours = append(ours, k.ID)
		}
		return err
	})
	a, asked := d.get(ctx, site, "/.well-known/jwks.json")
	var theirs struct {
		Keys []struct {
			ID string `json:"kid"`
		} `json:"keys"`
	}
	if err != nil || asked != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &theirs) != nil || len(theirs.Keys) == 0 || len(ours) == 0 {
		return false, false
	}
	for _, k := range theirs.Keys {
		same = same || slices.Contains(ours, k.ID)
	}
	return same, true
}

// trusted checks whether Portico trusts the proxy in front. It sends an
// incomplete request to the forward-auth endpoint. A trusted proxy gets
// CodeMalformed; any other client gets CodeUntrusted first.
func (d *doctor) trusted(ctx context.Context, r *report, site string) {
	a, err := d.get(ctx, site, gateway.CheckPath)
	switch {
	case err == nil && a.code == gateway.CodeUntrusted:
		r.add(Failed, "Portico does not trust the proxy in front: all clients share the rate limits of one network",
			"add the address that the proxy connects from")
	case err == nil && a.code == server.CodeMalformed:
		r.add(OK, "Portico trusts the proxy in front", "")
	default:
		r.add(Skipped, "this can be tested only if Portico has apps and the proxy in front does not use forward-auth",
			"check in the log that requests have the addresses of their clients")
	}
}

// missed reports why the public URL does not respond.
func (d *doctor) missed(r *report, site string, err error) {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	if unknown || name || invalid {
		r.add(Failed, unreached("the certificate at "+site+" is refused", err), "install a certificate on the proxy that browsers accept for "+d.config.PublicURL.Hostname())
		return
	}
	d.notBehind(r, unreached(site+" does not answer", err), "check the proxy in front, and that the name points to it")
}

// notBehind adds a failure if Portico is running, and otherwise a warning.
func (d *doctor) notBehind(r *report, found, do string) {
	if d.serving().err != nil {
		r.add(Warning, found, "start 'portico serve' and the proxy, then run this again")
		return
	}
	r.add(Failed, found, do)
}
