package provider

import (
	"net/http"
	"net/url"
	"strings"

	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// Screens shows the pages before and after a visit to a provider.
type Screens interface {
	// Leave writes a page that redirects to a URL of the provider.
	Leave(w http.ResponseWriter, r *http.Request, provider, to string) error
	// Detour writes the response to a failed attempt.
	Detour(w http.ResponseWriter, r *http.Request, provider string, rest flow.Detour, err error) error
}

// Config configures a Handler.
type Config struct {
	Actions *form.Actions
	Screens Screens
}

// Handler handles the URLs of providers. It is safe for concurrent use.
type Handler struct {
	Config
}

// New returns a Handler.
func New(cfg Config) *Handler { return &Handler{cfg} }

// Mount registers the routes.
func (h *Handler) Mount(m *server.Mux) {
	m.Handle("POST "+pages.ProviderStart("{id}"), h.start)
	m.Handle("GET "+pages.ProviderCallback("{id}"), h.callback, server.AfterForm)
	// The response of a provider with response_mode=form_post comes from its
	// site. The handler only redirects it to the GET above.
	m.Handle("POST "+pages.ProviderCallback("{id}"), h.callbackForm, server.CrossSite)
}

type startForm struct {
	ReturnTo string `json:"return_to"`
	Flow     string `json:"flow"`
	Again    string `json:"again"`
	Link     string `json:"link"` // mark of the opened link of an invitation
}

func (h *Handler) start(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[startForm](r)
	if err != nil {
		return err
	}
	way := flow.ProviderInput{ProviderID: r.PathValue("id"), ReturnTo: h.Actions.Targets.Check(in.ReturnTo), JoinFlow: in.Flow, Again: in.Again != ""}
	if way.Invitation, err = h.Actions.Opened(w, r, in.Link); err != nil {
		return err
	}
	result, err := h.Actions.Flows.StartProvider(r.Context(), h.Actions.Caller(w, r), way)
	if err != nil {
		return h.Screens.Detour(w, r, way.ProviderID, flow.Detour{ReturnTo: way.ReturnTo, JoinFlow: way.JoinFlow, Again: way.Again}, err)
	}
	h.Actions.Give(w, result)
	return h.Screens.Leave(w, r, way.ProviderID, result.Next)
}

func (h *Handler) callback(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	result, rest, err := h.Actions.Flows.FinishProvider(r.Context(), h.Actions.Caller(w, r), id, r.URL.Query())
	if err != nil {
		return h.Screens.Detour(w, r, id, rest, err)
	}
	h.Actions.Give(w, result)
	if result.Connected {
		h.Actions.Say(w, form.ProviderConnected)
	}
	return server.SeeOther(w, result.Next)
}

// callbackForm redirects a form_post response to a GET of the same path.
// Browsers send cookies with that GET, but not with a cross-site POST.
func (h *Handler) callbackForm(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Invalid, server.CodeMalformed).WithCause(err)
	}
	query := url.Values{}
	for _, name := range []string{"code", "state", "iss", "error", "error_description", "user"} {
		if v := r.PostForm[name]; len(v) > 0 {
			query[name] = v // the GET refuses a duplicate
		}
	}
	path := (&url.URL{Path: pages.ProviderCallback(r.PathValue("id"))}).EscapedPath()
	return server.SeeOther(w, strings.TrimSuffix(path+"?"+query.Encode(), "?"))
}
