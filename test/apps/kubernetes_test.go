package apps

import (
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// The check of ID tokens in Kubernetes, with the flags that the preset prints. It takes
// issuers with https alone, so Portico is behind a proxy with TLS. The command line of
// the user is a stand-in: like kubelogin, it is a public client that listens on loopback.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	path := program(t, "./apiserver")
	p := prepare(t)
	target, _ := url.Parse(p.origin)
	listens := p.origin
	front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.SetXForwarded(); r.Out.Host = r.In.Host }})
	t.Cleanup(front.Close)
	p.origin = front.URL
	p.settings(strings.NewReplacer(fmt.Sprintf("public_url = %q", listens), fmt.Sprintf("public_url = %q\ntrusted_proxies = [\"127.0.0.1/32\"]", p.origin)))
	block, lines := preset(t, p, "kubernetes", "https://k8s.example.com")
	p.serve(block)
	if out, err := p.command("user", "set-roles", address, "admin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	token := commandLine(t, p, front.Client())
	authority := filepath.Join(p.dir, "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	flags, ok := strings.CutPrefix(lines[0], "kube-apiserver: ")
	if !ok {
		t.Fatalf("the preset prints %q", lines)
	}
	check := exec.Command(path, append(strings.Fields(flags), "--oidc-ca-file="+authority)...)
	check.Stdin = strings.NewReader(token)
	out, err := check.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var user struct {
		Name   string
		Groups []string
	}
	if err := json.Unmarshal(out, &user); err != nil || user.Name != address || !slices.Equal(user.Groups, []string{"admin"}) {
		t.Errorf("%v: Kubernetes knows %s", err, out)
	}
}

// commandLine returns the ID token that a user gets for a program on their computer.
func commandLine(t *testing.T, p *portico, trusting *http.Client) string {
	t.Helper()
	ctx := oidc.ClientContext(t.Context(), trusting)
	provider, err := oidc.NewProvider(ctx, p.origin)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cfg := oauth2.Config{ClientID: "kubernetes", Endpoint: provider.Endpoint(), RedirectURL: server.URL, Scopes: []string{oidc.ScopeOpenID, "email", "groups"}}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		token, err := cfg.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(verifier))
		if err != nil || r.FormValue("state") != state {
			http.Error(w, fmt.Sprint(err), http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, token.Extra("id_token"))
	})
	v := newVisitor(t)
	v.http.Transport = trusting.Transport
	text, at := v.open(cfg.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	if strings.Count(text, ".") != 2 {
		t.Fatalf("no token at %s: %.500s", at, text)
	}
	return text
}
