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

// certificateLeft is when a certificate should have been renewed: Let's Encrypt
// and its clients renew with thirty days left.
const certificateLeft = 14 * 24 * time.Hour

// public goes the way of a browser: from the public URL through whatever is in
// front to this installation.
func (d *doctor) public(ctx context.Context, r *report) {
	if d.config.PublicURL == nil {
		r.add(Skipped, "it is not set", "")
		return
	}
	site := origin.Of(d.config.PublicURL)
	if _, err := net.DefaultResolver.LookupHost(ctx, d.config.PublicURL.Hostname()); err != nil {
		r.add(Failed, err.Error(), "make a record in the DNS that leads to your proxy, or correct public_url")
		return
	}
	a, err := d.get(ctx, site, "/auth/api/session")
	if err != nil {
		d.unreached(r, site, err)
		return
	}
	if a.code == session.CodeRequired {
		d.arrived(ctx, r, site, a)
		return
	}
	switch {
	case a.code == server.CodeHost:
		r.add(Failed, "Portico is not asked by its name", "let the proxy in front keep Host as the browser sent it (proxy_set_header Host $http_host)")
	case a.status/100 == 3:
		r.add(Failed, fmt.Sprintf("%s answers with a redirect (%d)", site, a.status), "write the address to which people come in the end as public_url, and let the proxy forward it to Portico")
	case a.code == "" && (a.status == http.StatusBadGateway || a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout):
		d.notBehind(r, fmt.Sprintf("the proxy in front answers %d", a.status), "look at where the proxy forwards to, and at listen")
	case a.code != "":
		r.add(Failed, fmt.Sprintf("Portico answers %d (%s)", a.status, a.code), "look at its log")
	default:
		r.add(Failed, fmt.Sprintf("something else than Portico answers at %s/auth/ (%d)", site, a.status), "let the proxy in front forward /auth/ to Portico, path and all")
	}
}

// arrived says of a Portico that answers whether it is this one, and whether it
// believes the proxy in front.
func (d *doctor) arrived(ctx context.Context, r *report, site string, a answer) {
	found := "a browser reaches a Portico, and whether it is this one is not known"
	switch same, known := d.same(ctx, site); {
	case known && !same:
		r.add(Failed, "another installation answers at "+site+": it has other signing keys", "look at where the proxy in front forwards to, and at database_url")
		return
	case known:
		found = "a browser reaches this installation"
	}
	if left := a.expires.Sub(d.clock.Now()); !a.expires.IsZero() && left < certificateLeft {
		r.add(Warning, found+"; the certificate ends in "+left.Round(time.Hour).String(), "look at what renews it")
	} else {
		r.add(OK, found, "")
	}
	if len(d.config.TrustedProxies) > 0 { // the settings warn of none
		t := &report{check: "trusted_proxies"}
		d.trusted(ctx, t, site)
		r.found = append(r.found, t.found...)
	}
}

// same reports whether the Portico at the public URL publishes a key of this
// database. Both may have none yet, or the way to the keys may lead elsewhere.
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

// trusted finds out whether Portico takes what stands in front for a trusted
// proxy: only such a one may ask about requests, and any other is told that it is
// none before anything is read of the question, which is void here.
func (d *doctor) trusted(ctx context.Context, r *report, site string) {
	a, err := d.get(ctx, site, gateway.CheckPath)
	switch {
	case err == nil && a.code == gateway.CodeUntrusted:
		r.add(Failed, "Portico does not trust what forwards to it: all clients share the limits of one network",
			"add the address from which the proxy in front connects")
	case err == nil && a.code == server.CodeMalformed:
		r.add(OK, "Portico trusts what forwards to it", "")
	default:
		r.add(Skipped, "it shows only where Portico has apps, and a proxy in front that does not ask itself",
			"see in the log of Portico that requests have the address of their client")
	}
}

// unreached says why nothing answers at the public URL.
func (d *doctor) unreached(r *report, site string, err error) {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	if unknown || name || invalid {
		r.add(Failed, err.Error(), "give the proxy in front a certificate that browsers accept for "+d.config.PublicURL.Hostname())
		return
	}
	d.notBehind(r, err.Error(), "look at the proxy in front, and whether the name leads to it ("+site+")")
}

// notBehind is worth a failure only while Portico serves: before that there is
// nothing to be reached.
func (d *doctor) notBehind(r *report, found, do string) {
	if d.serving().err != nil {
		r.add(Warning, found, "start 'portico serve' and the proxy in front, and run this again")
		return
	}
	r.add(Failed, found, do)
}
