package issuer

import (
	"net/http"
	"net/url"

	"portico/internal/clock"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
	"portico/internal/signingkey"
)

// Paths of the endpoints that are not pages.
const (
	revokePath     = pages.Root + "/openid/revoke"
	parPath        = pages.Root + "/openid/par"
	introspectPath = pages.Root + "/openid/introspect"
	devicePath     = pages.Root + "/openid/device"
	registerPath   = pages.Root + "/openid/register"
)

// Screens shows the pages on which the user decides.
type Screens interface {
	// AskSignOut asks whether to sign out. request is the query of the request,
	// wrong is why the browser cannot go back to the app, or nil.
	AskSignOut(w http.ResponseWriter, r *http.Request, found session.Found, request string, wrong error) error
	// AskConsent asks whether the client may learn what it asks for. query is the
	// query of the request.
	AskConsent(w http.ResponseWriter, r *http.Request, found session.Found, request openid.Request, query, another string) error
	// RefuseUser says that the user may not use the client. another leads to the sign-in
	// with another account, and back leads to the client. Both are "" from a device.
	RefuseUser(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, another, back string) error
	// AskCode asks for the code of a device. wrong is why one was refused, or nil.
	AskCode(w http.ResponseWriter, r *http.Request, found session.Found, code string, wrong error) error
	// AskDevice asks whether to let the device with a code in.
	AskDevice(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, d openid.Device, code string) error
	// ShowDevice says what the answer for a device was.
	ShowDevice(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, allowed bool) error
}

// Config configures a Handler.
type Config struct {
	Actions  *form.Actions
	OpenID   *flow.OpenID
	Screens  Screens
	Clients  openid.Clients
	Refusals *openid.Refusals // which this package adds to
	Keys     *signingkey.Keeper
	Clock    clock.Clock
	Public   *url.URL

	Documents bool // whether clients may describe themselves
	Registers bool // whether clients may register themselves
}

// Handler serves the endpoints. It is safe for concurrent use.
type Handler struct {
	Config
	issuer   string
	metadata document
}

// New returns a Handler.
func New(c Config) *Handler {
	issuer := origin.Of(c.Public)
	return &Handler{Config: c, issuer: issuer, metadata: newDocument(metadata(issuer, c.Keys.Algorithms(), c.Actions.Catalogue.Locales(), c.Documents, c.Registers))}
}

// Mount registers the endpoints. Without a client there are none.
//
// Servers send no Origin, and pages of public clients have another one. A route that
// is exempt from the cross-origin guard ignores the session.
func (h *Handler) Mount(m *server.Mux) {
	if h.Clients.Empty() && !h.Documents && !h.Registers {
		return
	}
	oauth := server.AnswerUnread(unread)
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"} {
		m.Handle("GET "+path, h.discovery, server.Quiet)
		m.Handle("OPTIONS "+path, server.PreflightOfAll, server.Quiet)
	}
	m.Handle("GET "+pages.Authorize, h.authorize)
	m.Handle("POST "+pages.Authorize, h.authorizeForm, server.CrossSite)
	m.Handle("POST "+pages.Consent, h.consent)
	m.Handle("GET "+pages.EndSession, h.logout)
	m.Handle("POST "+pages.EndSession, h.logoutForm, server.CrossSite)
	m.Handle("POST "+pages.EndSession+"/confirm", h.confirmLogout)
	m.Handle("POST "+pages.Token, h.token, server.CrossSite, oauth)
	m.Handle("GET "+pages.UserInfo, h.userInfo)
	m.Handle("POST "+pages.UserInfo, h.userInfo, server.CrossSite, oauth)
	m.Handle("POST "+parPath, h.push, server.CrossSite, oauth)
	m.Handle("POST "+revokePath, h.revoke, server.CrossSite, oauth)
	m.Handle("POST "+devicePath, h.device, server.CrossSite, oauth)
	m.Handle("GET "+pages.Device, h.devicePage)
	m.Handle("POST "+pages.Device, h.postDevice)
	m.Handle("POST "+introspectPath, h.introspect, server.CrossSite, server.Quiet, oauth)
	if h.Registers {
		m.Handle("POST "+registerPath, h.registrant(h.register), server.CrossSite, oauth)
		m.Handle("GET "+registerPath+"/{id}", h.registrant(h.registration))
		m.Handle("PUT "+registerPath+"/{id}", h.registrant(h.reregister), server.CrossSite, oauth)
		m.Handle("DELETE "+registerPath+"/{id}", h.registrant(h.unregister), server.CrossSite)
	}
	for _, path := range []string{pages.Token, pages.UserInfo, parPath, revokePath, devicePath} {
		m.Handle("OPTIONS "+path, h.preflight)
	}
}
