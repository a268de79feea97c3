package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"portico/internal/egress"
	"portico/internal/server/ops"
)

// answer is the response of an HTTP server.
type answer struct {
	status  int
	code    string // code of a problem document (RFC 9457); "" for other responses
	body    []byte
	expires time.Time // expiry of the certificate; zero without TLS
}

// get sends a request to one of the installation's own addresses, which may be
// in a private network.
func (d *doctor) get(ctx context.Context, site, path string) (answer, error) {
	roots, err := egress.Roots(d.config.TLS.CAFile)
	if err != nil {
		return answer{}, err
	}
	client, err := egress.New(egress.Config{Allow: []string{site}, Roots: roots})
	if err != nil {
		return answer{}, err
	}
	defer client.HTTP().CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, site+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Portico")
	resp, err := client.HTTP().Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode}
	if resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0 {
		a.expires = resp.TLS.PeerCertificates[0].NotAfter
	}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return a, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
		var problem struct {
			Code string `json:"code"`
		}
		_ = json.Unmarshal(a.body, &problem)
		a.code = problem.Code
	}
	return a, nil
}

// serving is the response of the operations listener on this machine.
type serving struct {
	said string
	err  error // no response
}

func (d *doctor) askReady() serving {
	address, ok := d.config.OpsAddress()
	if !ok || !d.config.Known("ops_listen") {
		return serving{err: fmt.Errorf("the port of ops_listen is unknown")}
	}
	ctx, cancel := context.WithTimeout(d.base, limit)
	defer cancel()
	a, err := d.get(ctx, "http://"+address, ops.ReadyPath)
	return serving{said: strings.TrimSpace(string(a.body)), err: err}
}

// server checks whether Portico is serving on this machine.
func (d *doctor) server(_ context.Context, r *report) {
	address, _ := d.config.OpsAddress()
	switch s := d.serving(); {
	case s.err != nil:
		r.add(Warning, unreached("Portico is not running here", s.err), "start 'portico serve' and run this again")
	case s.said == ops.Ready:
		r.add(OK, "Portico is running and ready ("+address+")", "")
	case ops.NotReady(s.said):
		r.add(Failed, "Portico is running but not ready: "+s.said, "check its log")
	default:
		r.add(Failed, "another program uses the address of ops_listen, "+address, "use another address, or stop that program")
	}
}
