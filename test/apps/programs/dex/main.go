// Command dex signs users in with the OpenID connector of Dex, as its server does. It reads the settings of
// the connector in JSON from its input, listens at its argument and answers the callback with the user.
package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"

	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/connector/oidc"
)

func main() {
	if err := serve(os.Args[1]); err != nil {
		slog.Error("stopped", "error", err)
		os.Exit(1)
	}
}

func serve(listen string) error {
	var cfg oidc.Config
	if err := json.NewDecoder(os.Stdin).Decode(&cfg); err != nil {
		return err
	}
	opened, err := cfg.Open("portico", slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	broker, scopes, state := opened.(connector.CallbackConnector), connector.Scopes{Groups: true}, []byte(nil)
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		target, data, err := broker.LoginURL(scopes, cfg.RedirectURI, "state-1")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		state = data
		http.Redirect(w, r, target, http.StatusFound)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		user, err := broker.HandleCallback(scopes, state, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(user)
	})
	return http.ListenAndServe(listen, nil)
}
