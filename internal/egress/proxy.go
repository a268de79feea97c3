package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"portico/internal/file"
)

// Proxy returns the function for Config.Proxy of the variables HTTPS_PROXY and
// NO_PROXY, nil without a proxy. Loopback addresses never go through a proxy. It
// accepts proxies that speak HTTP, with or without TLS.
func Proxy(address, except string) (func(*url.URL) (*url.URL, error), error) {
	if address == "" {
		return nil, nil
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("it is not the address of a proxy that speaks HTTP") // the address can contain a password
	}
	return (&httpproxy.Config{HTTPSProxy: address, NoProxy: except}).ProxyFunc(), nil
}

// maxAuthorities is the size limit of a file with authorities in bytes.
const maxAuthorities = 1 << 20

// Roots returns the authorities of the system together with the authorities of a
// PEM file. It returns nil, which stands for the system's, without a file.
func Roots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := file.Read(path, maxAuthorities)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // this system has none
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, errors.New(path + " has no certificate in PEM")
	}
	return roots, nil
}

// through connects to a server by a proxy. The proxy resolves only names that
// the operator has written into the settings. For any other name it is told the
// address that was judged, because it could find another one.
func (d *dialer) through(ctx context.Context, proxy *url.URL, addr string, named bool) (net.Conn, error) {
	target, err := d.target(ctx, addr, named)
	if err != nil {
		return nil, err
	}
	conn, err := d.dialProxy(ctx, proxy)
	if err != nil {
		return nil, fmt.Errorf("connect to the proxy %s: %w", proxy.Host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err = ask(conn, proxy, target); !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("the proxy %s: %w", proxy.Host, err)
	}
	return conn, nil
}

// target returns what the proxy is asked for: the name, or an address that
// passed the judgement.
func (d *dialer) target(ctx context.Context, addr string, named bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if _, err := netip.ParseAddr(host); err != nil && named {
		return addr, nil
	}
	resolver := d.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	refused := fmt.Errorf("%w: %s has no address", ErrRefused, host)
	for _, ip := range found {
		target := net.JoinHostPort(ip.Unmap().String(), port)
		if refused = d.judge(target, named); refused == nil {
			return target, nil
		}
	}
	return "", refused
}

func (d *dialer) dialProxy(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	plain := &net.Dialer{Timeout: d.timeout, Resolver: d.resolver}
	if proxy.Scheme == "https" {
		return (&tls.Dialer{NetDialer: plain, Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: d.roots}}).DialContext(ctx, "tcp", hostPort(proxy))
	}
	return plain.DialContext(ctx, "tcp", hostPort(proxy))
}

// ask sends CONNECT (RFC 9110 9.3.6) and reads the answer.
func ask(conn net.Conn, proxy *url.URL, target string) error {
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{"User-Agent": {"Portico"}}}
	if user := proxy.User; user != nil {
		password, _ := user.Password()
		r.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := r.Write(conn); err != nil {
		return err
	}
	buffer := bufio.NewReader(conn)
	answer, err := http.ReadResponse(buffer, r)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("it answers %s to CONNECT %s", answer.Status, target)
	case buffer.Buffered() > 0:
		return errors.New("it sends something before the connection begins")
	}
	return nil
}
