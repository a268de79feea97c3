package admin

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// Root is the path below which every operation is.
const Root = "/auth/api/admin"

// Config configures Admin. All fields but On, Networks and Page are required.
type Config struct {
	Actions  *form.Actions
	Operator *flow.Operator
	Describe func(userAgent string) string       // a browser in words
	Place    func(network, locale string) string // the place of a network in words, "" if it is unknown
	Refusing func(roles []string) []AdminRefusal // the rules that refuse a person with these roles, never nil
	On       bool                                // otherwise nothing answers
	Networks []netip.Prefix                      // from which the page answers; none for all
	Page     *Page                               // nil if the front end has none
	System   System
}

// Admin serves the admin page and its API. It is safe for concurrent use.
type Admin struct{ Config }

// New returns an Admin.
func New(cfg Config) *Admin { return &Admin{cfg} }

// Mount registers the routes. Those without a method answer all other methods and paths, so
// that no response tells which ones there are.
func (a *Admin) Mount(m *server.Mux) {
	for _, o := range a.operations() {
		if o.stream != nil {
			m.Handle(o.Method+" "+o.Path, a.operate(o), server.Streaming)
			continue
		}
		m.Handle(o.Method+" "+o.Path, a.operate(o))
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
		by, err := a.guard(w, r)
		if err != nil {
			return hidden(err)
		}
		if o.stream != nil {
			return hidden(o.stream(w, r, by))
		}
		out, err := o.run(r, by)
		if err != nil {
			return hidden(err)
		}
		return server.WriteJSON(w, http.StatusOK, out)
	}
}

// guard returns the admin who sends a request.
//
// Faults: server.RouteMissing, session.Required, and as flow.Operator.Admin.
func (a *Admin) guard(w http.ResponseWriter, r *http.Request) (flow.Actor, error) {
	if !a.reaches(r) {
		return flow.Actor{}, server.RouteMissing
	}
	found, err := a.Actions.Session(w, r)
	if err != nil {
		return flow.Actor{}, err
	}
	if err := a.Operator.Admin(r.Context(), found); err != nil {
		return flow.Actor{}, err
	}
	return flow.ByAdmin(a.Actions.Caller(w, r), found), nil
}

// reaches reports whether the settings have the page, for the network of a request.
func (a *Admin) reaches(r *http.Request) bool {
	addr := server.ClientAddr(r)
	return a.On && (len(a.Networks) == 0 || slices.ContainsFunc(a.Networks, func(n netip.Prefix) bool { return n.Contains(addr) }))
}

// hidden turns the fault of a user who is no admin into that of a missing page.
func hidden(err error) error {
	if errors.Is(err, flow.ErrNotAdmin) {
		return server.RouteMissing
	}
	return err
}
