// Command dex serves Dex, an OpenID provider, with one client, in memory. The
// benchmark compares Portico with it. It is Dex's server package and not its command,
// whose gRPC API does not build outside its repository.
package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/dexidp/dex/web"
	"github.com/go-jose/go-jose/v4"
	"github.com/prometheus/client_golang/prometheus"
)

func main() {
	if err := serve(context.Background(), os.Args[1], jose.SignatureAlgorithm(os.Args[2]), os.Args[3], os.Args[4]); err != nil {
		slog.Error("dex", "error", err)
		os.Exit(1)
	}
}

// serve serves on an address. The client has an id and a secret.
func serve(ctx context.Context, addr string, algorithm jose.SignatureAlgorithm, id, secret string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	store := storage.WithStaticClients(memory.New(log), []storage.Client{{ID: id, Secret: secret, Name: id}})
	store = storage.WithStaticConnectors(store, []storage.Connector{{ID: "mock", Type: "mockCallback", Name: "mock"}}) // Dex wants one
	local := signer.LocalConfig{KeysRotationPeriod: "6h", Algorithm: algorithm}
	keys, err := local.Open(ctx, store, 24*time.Hour, time.Now, log)
	if err != nil {
		return err
	}
	keys.Start(ctx)
	dex, err := server.NewServer(ctx, server.Config{
		Issuer: "http://" + addr, Storage: store, Signer: keys, Logger: log, PrometheusRegistry: prometheus.NewRegistry(),
		AllowedGrantTypes: []string{"client_credentials"}, Web: server.WebConfig{WebFS: web.FS()},
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return http.Serve(l, dex)
}
