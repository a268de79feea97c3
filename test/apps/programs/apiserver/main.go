// Command apiserver checks the ID token of its input as the API server of Kubernetes
// does, and prints the user. It has the flags that the preset kubernetes prints.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"time"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

func main() {
	if err := check(); err != nil {
		slog.Error("refused", "error", err)
		os.Exit(1)
	}
}

func check() error {
	issuer := flag.String("oidc-issuer-url", "", "")
	client := flag.String("oidc-client-id", "", "")
	algorithm := flag.String("oidc-signing-algs", "", "")
	username := flag.String("oidc-username-claim", "", "")
	groups := flag.String("oidc-groups-claim", "", "")
	authority := flag.String("oidc-ca-file", "", "")
	flag.Parse()
	token, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	trusted, err := dynamiccertificates.NewDynamicCAContentFromFile("authority", *authority)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	none := ""
	verifier, err := oidc.New(ctx, oidc.Options{
		CAContentProvider:    trusted,
		SupportedSigningAlgs: []string{*algorithm},
		JWTAuthenticator: apiserver.JWTAuthenticator{
			Issuer: apiserver.Issuer{URL: *issuer, Audiences: []string{*client}},
			ClaimMappings: apiserver.ClaimMappings{
				Username: apiserver.PrefixedClaimOrExpression{Claim: *username, Prefix: &none},
				Groups:   apiserver.PrefixedClaimOrExpression{Claim: *groups, Prefix: &none},
			},
		},
	})
	if err != nil {
		return err
	}
	for verifier.HealthCheck() != nil && ctx.Err() == nil { // it loads the keys in the background
		time.Sleep(50 * time.Millisecond)
	}
	found, ok, err := verifier.AuthenticateToken(ctx, string(bytes.TrimSpace(token)))
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("not a token of this issuer")
	}
	return json.NewEncoder(os.Stdout).Encode(found.User)
}
