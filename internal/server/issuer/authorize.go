package issuer

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/session"
)

// markParam is the parameter by which a request says, after the sign-in page, when
// it was sent there. It stands at the end of the query.
const markParam = "portico_mark"

// maxLocation is the size limit of the URL of the sign-in page, which has the
// request in it. A request target may have 8 KiB.
const maxLocation = 7 << 10

// authorize answers a request for a code. Without a session that is good enough,
// it sends the browser to the sign-in page and gets the same request again.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	request, err := h.Clients.ParseRequest(query)
	if err != nil {
		return h.refuse(w, r, request, err)
	}
	found, err := h.Actions.Session(w, r)
	signedIn := err == nil
	if err != nil && !errors.Is(err, session.Required) {
		return err
	}
	raw, mark, _ := strings.Cut(r.URL.RawQuery, "&"+markParam+"=")
	sentAt, unmarked := h.Actions.Flows.Marked(raw, mark)
	at := found.Session.AuthenticatedAt
	again := signedIn && (request.Login || request.Stale(at, h.Clock.Now())) && (unmarked != nil || at.Before(sentAt))
	choose := request.Select && unmarked != nil
	switch {
	case signedIn && !again && !choose:
		code, err := h.Actions.Flows.Authorize(r.Context(), h.Actions.Caller(w, r), found, request)
		if err != nil {
			return err
		}
		return h.answer(w, r, request, url.Values{"code": {code}})
	case request.None:
		return h.refuse(w, r, request, &openid.Error{Code: "login_required", Description: "the user must sign in"})
	}
	return h.signIn(w, r, request, raw, again)
}

// signIn sends the browser to the sign-in page, which leads back to the request.
func (h *Handler) signIn(w http.ResponseWriter, r *http.Request, request openid.Request, raw string, again bool) error {
	target := pages.Authorize + "?" + raw + "&" + markParam + "=" + h.Actions.Flows.Mark(raw)
	query := url.Values{"return_to": {target}, "email": {request.Hint}}
	if again {
		query.Set("again", "1")
	}
	location := pages.With(pages.SignIn, query)
	if len(location) > maxLocation || h.Actions.Targets.Check(target) == (flow.Target{}) {
		return h.refuse(w, r, request, invalidRequest("the request is too long"))
	}
	return server.SeeOther(w, location)
}

// authorizeForm redirects a request in a form to a GET of the same path. Browsers
// send cookies with that GET, but not with a cross-site POST.
func (h *Handler) authorizeForm(w http.ResponseWriter, r *http.Request) error {
	query, err := readForm(r)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	return server.SeeOther(w, pages.Authorize+"?"+query.Encode())
}

// refuse answers a request with an error: at the client if its address is known to
// be the client's own, else on our page.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, request openid.Request, err error) error {
	var wrong *openid.Error
	if !errors.As(err, &wrong) {
		return err
	}
	server.Note(w, openid.Refused.WithCause(wrong))
	return h.answer(w, r, request, url.Values{"error": {wrong.Code}, "error_description": {wrong.Description}})
}

// answer sends the browser back to the client (RFC 6749 4.1.2, RFC 9207).
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, request openid.Request, values url.Values) error {
	values.Set("iss", h.issuer)
	if request.State != "" {
		values.Set("state", request.State)
	}
	if request.FormPost {
		return h.postBack(w, r, request.RedirectURI, values)
	}
	mark := "?"
	if strings.Contains(request.RedirectURI, "?") {
		mark = "&"
	}
	return server.SeeOther(w, request.RedirectURI+mark+values.Encode())
}

// remaining returns the whole seconds until a time.
func (h *Handler) remaining(until time.Time) int { return int(until.Sub(h.Clock.Now()) / time.Second) }
