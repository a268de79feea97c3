package issuer

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// logout asks a signed-in user whether to sign out, and sends the browser back to
// the client (OpenID Connect RP-Initiated Logout 2). The question is always asked,
// because any page can send a browser here.
func (h *Handler) logout(w http.ResponseWriter, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	farewell, wrong, err := h.leaving(w, r, query)
	if err != nil {
		return err
	}
	found, err := h.Actions.Session(w, r)
	switch {
	case errors.Is(err, session.Required) && wrong != nil:
		return wrong
	case errors.Is(err, session.Required):
		back := h.Actions.Targets.Check(query.Get("return_to")).String()
		return server.SeeOther(w, cmp.Or(farewell.ReturnTo, pages.ReturnTo(pages.SignedOut, back)))
	case err != nil:
		return err
	}
	return h.Screens.AskSignOut(w, r, found, query.Encode(), wrong)
}

// leaving reads a request to sign out. wrong is why the browser cannot go back to the
// client.
func (h *Handler) leaving(w http.ResponseWriter, r *http.Request, query url.Values) (f openid.Farewell, wrong, err error) {
	query = withValues(query)
	id := query.Get("client_id")
	if hint, err := h.readHint(query.Get("id_token_hint")); err == nil {
		id = hint.ClientID
	}
	clients, err := h.OpenID.RegisteredFor(r.Context(), id)
	h.explain(w, r, func() openid.Asked { return clients.Asked(id, "", query) })
	if err != nil && !errors.Is(err, openid.ClientUnknown) {
		return f, nil, err
	}
	f, wrong = clients.ParseFarewell(query, h.readHint)
	return f, wrong, nil
}

// logoutForm redirects a request in a form of the client to a GET of the same path.
// Browsers send cookies with that GET, but not with a cross-site POST.
func (h *Handler) logoutForm(w http.ResponseWriter, r *http.Request) error {
	query, err := parseForm(r)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	location := pages.With(pages.EndSession, query)
	if len(location) > maxLocation { // with an ID token that has many groups
		farewell, wrong, err := h.leaving(w, r, query)
		if err != nil || wrong != nil {
			return cmp.Or(err, wrong)
		}
		query.Del("id_token_hint")
		query.Set("client_id", farewell.Client.ID) // all that counts of the token
		location = pages.With(pages.EndSession, query)
	}
	return server.SeeOther(w, location)
}

// logoutAnswer is the form of the question. Account is the id of the account that
// the page has named.
type logoutAnswer struct {
	Account string `json:"account"`
	Request string `json:"request"`
}

// confirmLogout ends the session. The request is judged again: the form may hold
// anything.
func (h *Handler) confirmLogout(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[logoutAnswer](r)
	if err != nil {
		return err
	}
	query, err := url.ParseQuery(in.Request)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	farewell, wrong, err := h.leaving(w, r, query)
	if err != nil {
		return err
	}
	found, err := h.Actions.Session(w, r)
	switch {
	case err != nil && !errors.Is(err, session.Required):
		return err
	case err != nil && wrong != nil:
		return wrong
	case wrong != nil:
		return h.Screens.AskSignOut(w, r, found, "", wrong) // asks again, without the way back
	case err == nil && found.User.ID != in.Account:
		return server.SeeOther(w, pages.With(pages.EndSession, query)) // which names the account that is signed in now
	}
	next, err := h.Actions.SignOut(w, r, form.SignOut{ReturnTo: query.Get("return_to")})
	if err != nil {
		return err
	}
	return server.SeeOther(w, cmp.Or(farewell.ReturnTo, next))
}

// readHint returns what an ID token of this installation says. It may have expired: its session may last
// (RP-Initiated Logout 2).
func (h *Handler) readHint(token string) (hint openid.Hint, err error) {
	if err := h.Keys.VerifyPast(token, idTokenType, &hint); err != nil {
		return openid.Hint{}, err
	}
	if hint.Issuer != h.issuer {
		return openid.Hint{}, errors.New("the ID token is from another issuer")
	}
	return hint, nil
}
