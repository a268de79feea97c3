package app

import (
	"context"
	"io"
	"net/http"
	"net/mail"
	"time"

	"portico/internal/code"
	"portico/internal/server"
	"portico/internal/server/api"
	"portico/internal/server/door"
	"portico/internal/server/provider"
	"portico/internal/server/screens"
	"portico/web"
)

// doors is the public listener's handler and the door that wants warming.
type doors struct {
	handler http.Handler
	screens *screens.Screens
}

// Handler returns what the public listener serves.
func (a *App) Handler() (http.Handler, error) {
	d, err := a.public()
	return d.handler, err
}

func (a *App) public() (doors, error) {
	public := a.publicURL()
	mux := server.NewMux(server.Config{
		PublicURL: public, TrustedProxies: a.Config.TrustedProxies, HSTSSubdomains: a.Config.HSTSSubdomains,
		Catalogue: a.catalogue, Log: a.log,
	})
	desk := door.NewDesk(a.Flows, a.catalogue, a.clock, public)
	pages, err := a.screens(desk)
	if err != nil {
		return doors{}, err
	}
	names := make(map[string]string)
	for _, p := range a.providers.List() {
		names[p.ID] = p.Name
	}
	mux.Mount(
		pages,
		api.New(desk, a.Sessions, describe),
		server.NewReports(),
		provider.New(provider.Config{
			Desk: desk, Catalogue: a.catalogue, Failure: screens.Failure,
			Name: func(id string) string { return names[id] },
		}),
	)
	mux.Mount(a.options.Doors...)
	return doors{mux, pages}, nil
}

func (a *App) screens(desk *door.Desk) (*screens.Screens, error) {
	cfg := screens.Config{
		Desk: desk, Catalogue: a.catalogue, Dist: a.options.Dist, Targets: a.targets, Root: a.Config.Upstream == nil,
		Brand:     screens.Brand{Name: a.Config.Brand.Name},
		Sender:    sender(a.Config.MailFrom),
		Providers: []screens.Provider{},
		Policy: screens.Policy{
			PasswordMin: a.Passwords.Policy().Min, PasswordMax: a.Passwords.Policy().Max, CodeLength: code.Length,
		},
	}
	if cfg.Dist == nil {
		cfg.Dist = web.Dist
	}
	for _, p := range a.providers.List() {
		cfg.Providers = append(cfg.Providers, screens.Provider(p))
	}
	picture, err := readLogo(a.Config.Brand.Logo)
	if err != nil {
		return nil, err
	}
	if picture != nil {
		if cfg.Logo, err = screens.NewLogo(picture); err != nil {
			return nil, err
		}
	}
	return screens.New(cfg)
}

// sender returns the address of a mailbox with or without a name; config has
// checked it.
func sender(from string) string {
	parsed, err := mail.ParseAddress(from)
	if err != nil {
		return ""
	}
	return parsed.Address
}

// operations is the handler of the operations listener. Readiness ends with
// serving: a balancer then sends no more requests while those under way finish.
func (a *App) operations(serving context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		switch {
		case serving.Err() != nil:
			say(w, http.StatusServiceUnavailable, "stopping")
		case a.Store.Ping(ctx) != nil:
			say(w, http.StatusServiceUnavailable, "the database does not answer")
		default:
			say(w, http.StatusOK, "ready")
		}
	})
	return mux
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
