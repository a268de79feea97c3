package admin

import (
	"errors"
	"net/http"
	"net/netip"

	"portico/internal/flow"
	"portico/internal/once"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// Root is the path below which every operation is.
const Root = "/auth/api/admin"

// shownFor is the header with the id of the admin for whom the page was shown.
const shownFor = "Portico-Account"

// Config configures Admin. All fields but On, Networks and Page are required.
type Config struct {
	Actions  *form.Actions
	Operator *flow.Operator
	Describe func(userAgent string) string       // a browser in words
	Place    func(network, locale string) string // the place of a network in words, "" if it is unknown
	Refusing func(roles []string) []AdminRefusal // the rules that refuse a person with these roles, never nil
	Reaches  func(client netip.Addr) bool        // whether the settings of this moment have the page, for a client
	Page     *Page                               // nil if the front end has none
	System   System
	Apps     Apps
	Visit    server.Cookie // has flow.Operator.Visit
}

// Admin serves the admin page and its API. It is safe for concurrent use.
type Admin struct{ Config }

// New returns an Admin.
func New(cfg Config) *Admin { return &Admin{cfg} }

// Mount registers the routes. Those without a method answer all other methods and paths, so
// that no response tells which ones there are.
func (a *Admin) Mount(m *server.Mux) {
	for _, o := range a.operations() {
		traits := []server.Trait{server.Keyed}
		switch {
		case o.stream == nil:
		case o.Method == http.MethodGet:
			traits = append(traits, server.Download)
		default:
			traits = append(traits, server.Streaming)
		}
		if o.maxBody > 0 {
			traits = append(traits, server.MaxBody(o.maxBody))
		}
		m.Handle(o.Method+" "+o.Path, a.operate(o), traits...)
	}
	m.Handle(Root+"/{rest...}", missing)
	for _, path := range []string{pages.Admin, pages.Admin + "/{place}", pages.AdminPeople + "/{id}"} {
		m.Handle("GET "+path, a.page)
		m.Handle(path, missing)
	}
}

func missing(http.ResponseWriter, *http.Request) error { return server.RouteMissing }

// operate returns the handler of an operation, behind the guard.
func (a *Admin) operate(o operation) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		by, err := a.guard(w, r, o)
		if err == nil {
			err = checkQuery(r, o.Query)
		}
		switch {
		case err != nil:
			return hidden(err)
		case o.stream != nil:
			return hidden(o.stream(w, r, by))
		case r.Method != http.MethodGet && r.Method != http.MethodHead && len(r.Header.Values(once.Header)) > 0:
			return hidden(a.runOnce(w, r, by, o))
		}
		out, err := o.run(r, by)
		if err != nil {
			return hidden(err)
		}
		return server.WriteJSON(w, http.StatusOK, out)
	}
}

// guard returns the admin or the program that sends a request for an operation, and counts the request.
//
// Faults: server.RouteMissing, session.Required, form.AccountChanged, throttle.Limited, and as flow.Operator.Admin,
// flow.Operator.ByKey and flow.Actor.MayUse.
func (a *Admin) guard(w http.ResponseWriter, r *http.Request, o operation) (by flow.Actor, err error) {
	if !a.reaches(r) {
		return by, server.RouteMissing
	}
	if sent, ok := r.Header["Authorization"]; ok {
		by, err = a.program(w, r, sent, o)
	} else {
		by, err = a.admin(w, r, o.polled)
	}
	if err != nil {
		return by, err
	}
	quota, err := a.Operator.Enter(r.Context(), by)
	tellQuota(w, quota)
	return by, err
}

// admin returns the admin who sends a request with a session. A page that was shown for one admin does nothing as somebody
// else, who has signed in since.
func (a *Admin) admin(w http.ResponseWriter, r *http.Request, polled bool) (flow.Actor, error) {
	found, err := a.Actions.Session(w, r)
	if err != nil {
		if errors.Is(err, session.Required) {
			w.Header().Set("Www-Authenticate", `Bearer realm="portico"`) // which a program without a key needs (RFC 6750 3)
		}
		return flow.Actor{}, err
	}
	if account := r.Header.Get(shownFor); account != "" && account != found.User.ID {
		return flow.Actor{}, form.AccountChanged
	}
	if err := a.admits(w, r, found, polled); err != nil {
		return flow.Actor{}, err
	}
	return flow.ByAdmin(a.Actions.Caller(w, r), found), nil
}

// admits judges the session of an admin, whose browser then keeps that the page was used, unless the page polls.
//
// Faults: as flow.Operator.Admin.
func (a *Admin) admits(w http.ResponseWriter, r *http.Request, found session.Found, polled bool) error {
	visit, _ := a.Visit.Read(w, r)
	err := a.Operator.Admin(r.Context(), found, visit)
	if err == nil && !polled {
		a.Visit.Write(w, a.Operator.Visit(found), flow.AdminIdle)
	}
	return err
}

// reaches reports whether the settings have the page, for the network of a request.
func (a *Admin) reaches(r *http.Request) bool { return a.Reaches(server.ClientAddr(r)) }

// flush sends a part of a file, unless a reload has taken the page away since the part before.
func (a *Admin) flush(w http.ResponseWriter, r *http.Request) error {
	if !a.reaches(r) {
		return server.RouteMissing
	}
	return server.Flush(w)
}

// hidden turns the fault of a user who is no admin into that of a missing page.
func hidden(err error) error {
	if errors.Is(err, flow.ErrNotAdmin) {
		return server.RouteMissing
	}
	return err
}
