package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// openIDPeers compares Portico with two other providers, each in what it can do
// without a user at a keyboard: Dex gives a client a token for itself, oidc-provider
// signs a user of a session in. Both keep everything in memory.
func openIDPeers(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, err := b.issuing(ctx, e)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	other, otherAddr, err := b.oidcProvider(ctx)
	if err != nil {
		return nil, fmt.Errorf("oidc-provider: %w: run npm ci in test/e2e", err)
	}
	defer other.stop()
	flow, err := otherFlows(otherAddr)
	if err != nil {
		return nil, fmt.Errorf("oidc-provider: %w", err)
	}
	machine := product.post(machineClient, tokenPath, url.Values{"grant_type": {"client_credentials"}})
	sides := []side{b.signers(server, i.listen, i.flows()), b.signers(other, otherAddr, flow), b.signers(server, i.listen, asking(machine))}
	program, err := b.buildDex(ctx)
	if err != nil {
		return nil, err
	}
	algorithms := []string{"RS256", "ES256"} // Dex's default, which has the aim, and Portico's
	for _, algorithm := range algorithms {
		dex, addr, err := b.dex(ctx, program, algorithm)
		if err != nil {
			return nil, err
		}
		defer dex.stop()
		sides = append(sides, b.signers(dex, addr, asking(issuer{host: addr}.post(benchClient, "/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"openid"}}))))
	}
	all, err := interleave(ctx, b.rounds, sides...)
	if err != nil {
		return nil, err
	}
	figures := against("a flow, oidc-provider", all[0], all[1], 3)
	for n, algorithm := range algorithms {
		figures = append(figures, against("a token for the client, Dex with "+algorithm, all[2], all[3+n], []float64{5, 0}[n])...)
	}
	return figures, nil
}

// against says how many times the rate of the product is a peer's, and how many times
// the processor time of the peer is the product's.
func against(name string, ours, peer []reading, aim float64) []figure {
	rate := rateAgainst(ours, peer)
	rate.name = name + ": throughput"
	return []figure{{
		name: name + ": server CPU, in times the product's", product: micros(values(ours, cpuOf)), limit: micros(values(peer, cpuOf)),
		value: ratios(peer, ours, cpuOf), aim: aim, atLeast: true,
	}, rate}
}

// asking repeats a request.
func asking(request []byte) work {
	return func(c *conn) (bool, error) {
		a, err := c.do(request)
		if err != nil {
			return false, err
		}
		return true, a.want(200)
	}
}

func (b *bench) buildDex(ctx context.Context) (string, error) {
	progress("building Dex, which may take minutes")
	path := filepath.Join(b.dir, "dex")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	build.Dir = filepath.Join("test", "bench", "dex")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Dex: %w\n%s", err, out)
	}
	return path, nil
}

func (b *bench) dex(ctx context.Context, program, algorithm string) (*process, string, error) {
	addr, err := freePort()
	if err != nil {
		return nil, "", err
	}
	p, err := start(ctx, filepath.Join(b.dir, "dex.log"), nil, program, addr, algorithm, benchClient, benchSecret)
	if err != nil {
		return nil, "", err
	}
	return p, addr, p.await(addr, []byte("GET /.well-known/openid-configuration HTTP/1.1\r\nHost: localhost\r\n\r\n"))
}

func (b *bench) oidcProvider(ctx context.Context) (*process, string, error) {
	addr, err := freePort()
	if err != nil {
		return nil, "", err
	}
	_, port, _ := net.SplitHostPort(addr)
	p, err := start(ctx, filepath.Join(b.dir, "oidc-provider.log"), []string{"PATH=" + os.Getenv("PATH"), "NODE_ENV=production"},
		"node", filepath.Join("test", "bench", "oidc-provider.mjs"), port, benchClient, benchSecret, benchReturn)
	if err != nil {
		return nil, "", err
	}
	return p, addr, p.await(addr, []byte("GET /.well-known/openid-configuration HTTP/1.1\r\nHost: "+addr+"\r\n\r\n"))
}

// otherFlows signs users in at oidc-provider and returns the same flow there as at
// Portico, for their sessions.
func otherFlows(addr string) (work, error) {
	o := issuer{host: addr, authorize: "/auth", token: "/token", userInfo: "/me"}
	var cookies []string
	for n := range signers {
		cookie, err := o.signIn(n)
		if err != nil {
			return nil, err
		}
		cookies = append(cookies, cookie)
	}
	var turn atomic.Int64
	return func(c *conn) (bool, error) { return o.flow(c, cookies[int(turn.Add(1))%len(cookies)]) }, nil
}

// signIn signs a user in and returns the cookies of the session.
func (o issuer) signIn(n int) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	client := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	root := &url.URL{Scheme: "http", Host: o.host, Path: "/"}
	request, _ := question()
	for next := o.authorize + "?" + request; !strings.HasPrefix(next, benchReturn); {
		at, err := root.Parse(next)
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(at.Path, "/interaction/") {
			at.RawQuery = fmt.Sprintf("user%d", n)
		}
		answer, err := client.Get(at.String())
		if err != nil {
			return "", err
		}
		_ = answer.Body.Close()
		if next = answer.Header.Get("Location"); next == "" {
			return "", fmt.Errorf("%s answers %s", at.Path, answer.Status)
		}
	}
	var parts []string
	for _, c := range jar.Cookies(root) {
		parts = append(parts, c.Name+"="+c.Value)
	}
	return strings.Join(parts, "; "), nil
}
