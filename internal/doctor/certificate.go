package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"strconv"
	"time"
)

// certificates looks at the certificate that Portico itself presents for each
// host.
func (d *doctor) certificates(ctx context.Context, r *report) {
	address, ok := d.config.ListenAddress()
	if s := d.serving(); s.err != nil || !ok {
		r.add(Skipped, "Portico is not running here", "")
		return
	}
	for _, host := range d.config.Hosts() {
		d.certificate(ctx, r, address, host)
	}
}

func (d *doctor) certificate(ctx context.Context, r *report, address, host string) {
	leaf, err := presented(ctx, address, host)
	left := time.Duration(0)
	if leaf != nil {
		left = leaf.NotAfter.Sub(d.clock.Now())
	}
	do := "check the log of the server; 'tls.cert_file' is read again when it changes"
	if d.config.TLS.ACME {
		do = "check the log of the server, and that the authority reaches this host at port 443 or 80"
	}
	switch {
	case err != nil:
		r.add(Failed, host+": no certificate: "+err.Error(), do)
	case left <= 0:
		r.add(Failed, host+": the certificate has expired", do)
	case leaf.VerifyHostname(host) != nil:
		r.add(Failed, host+": the certificate is for other names", do)
	case left < certificateLeft:
		r.add(Warning, host+": the certificate expires in "+left.Round(time.Hour).String(), do)
	default:
		r.add(OK, host+": valid for "+strconv.Itoa(int(left/(24*time.Hour)))+" days", "")
	}
}

// presented returns the certificate of a listener. It does not judge the
// issuer: the check of public_url does, as a browser would.
func presented(ctx context.Context, address, host string) (*x509.Certificate, error) {
	dialer := tls.Dialer{Config: &tls.Config{ServerName: host, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}
