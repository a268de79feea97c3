package issuer

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// maxLocation is the size limit of a URL to which a browser is led with a request in it. A
// request target may have 8 KiB.
const maxLocation = 7 << 10

func errTooLong() error {
	return invalidRequest("the request is too long for a browser: push it to pushed_authorization_request_endpoint")
}

// refusedParam is the parameter by which a user who may not use the client goes back
// to it.
const refusedParam = "portico_refused"

// authorize answers a request for a code. Without a session that is good enough,
// it sends the browser to the sign-in page and gets the same request again.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request) error {
	return h.decide(w, r, r.URL.RawQuery, false)
}

// decide answers a request for a code. agreed says that the user has just agreed.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request, rawQuery string, agreed bool) error {
	request, query, mark, err := h.parse(w, r, rawQuery)
	if err != nil {
		return h.refuse(w, r, request, err)
	}
	if !request.None {
		h.Actions.Suggest(w, r, request.Locales)
	}
	found, err := h.Actions.Session(w, r)
	signedIn := err == nil
	if err != nil && !errors.Is(err, session.Required) {
		return err
	}
	at, now := found.Session.AuthenticatedAt, h.Clock.Now()
	weak, err := h.weak(r, request, found)
	if err != nil {
		return err
	}
	ruling := request.Client.Admits(openid.Standing{Roles: found.User.Roles, ProvenAt: at, StrongAt: found.Session.StrongAt}, now)
	again := signedIn && (request.Login || request.Stale(at, now) || weak || ruling == openid.TooOld) && !mark.Answered
	if ruling != openid.NotAdmitted && request.TooWeak(found.Session.Strong()) { // also when the sign-in that has answered is too old by now
		ruling = openid.NotStrong
	}
	subject, err := h.OpenID.Subject(r.Context(), request.Client, found.User.ID)
	if err != nil {
		return err
	}
	another := signedIn && !request.For(subject)
	choose := (request.Select || another) && !mark.Sent
	stays := signedIn && !choose && !another
	switch {
	case stays && ruling == openid.NotAdmitted:
		if request.None || query.Has(refusedParam) {
			denied := &openid.Error{Code: "access_denied", Description: "the user may not use this client"}
			return h.refuse(w, r, request, fmt.Errorf("%w: %w", denied, rule.Refuse(found.User.ID, request.Client.RuleTexts...)))
		}
		back := h.carry(w, r, request, flow.Mark{}, flow.CutMark(rawQuery)+"&"+refusedParam+"=1")
		return h.Screens.RefuseUser(w, r, found, request.Client, h.another(w, r, rawQuery), pages.Authorize+"?"+back)
	case stays && !again && ruling == openid.NotStrong:
		if unmet := request.Unmet(found.User.Roles, now); unmet != nil {
			return h.refuse(w, r, request, unmet)
		}
		if request.None {
			return h.refuse(w, r, request, &openid.Error{Code: "interaction_required", Description: "the user must give a second factor"})
		}
		return h.lead(w, r, request, pages.MFA, url.Values{}, h.carry(w, r, request, mark, rawQuery))
	case stays && !again:
		return h.give(w, r, found, request, mark, h.carry(w, r, request, mark, rawQuery), agreed)
	case request.None || another && !choose:
		return h.refuse(w, r, request, &openid.Error{Code: "login_required", Description: "the user must sign in"})
	}
	return h.signIn(w, r, request, flow.CutMark(rawQuery), again)
}

// parse reads a request, which the client may have pushed, and its mark. Its errors are the
// errors of openid.Clients.ParseRequest, and openid.RequestUnknown.
func (h *Handler) parse(w http.ResponseWriter, r *http.Request, rawQuery string) (request openid.Request, query url.Values, mark flow.Mark, err error) {
	if query, err = url.ParseQuery(rawQuery); err != nil {
		return request, nil, mark, server.Malformed.WithCause(err)
	}
	query = withValues(query)
	caller, id := h.Actions.Caller(w, r), query.Get("client_id")
	clients, err := h.OpenID.ClientsFor(r.Context(), caller, id)
	h.explain(w, r, func() openid.Asked { return clients.Asked(id, "", query) })
	if err != nil {
		return request, nil, mark, err
	}
	if mark, err = h.OpenID.Marked(r.Context(), caller, rawQuery); err != nil {
		return request, nil, mark, err
	}
	if openid.IsPushed(query.Get("request_uri")) {
		request, err = h.pulled(w, r, clients, query, mark.Sent)
	} else {
		request, err = h.judge(query, clients.ParseRequest)
	}
	return request, query, mark, err
}

// judge reads the parameters of a request.
func (h *Handler) judge(query url.Values, parse func(url.Values) (openid.Request, error)) (openid.Request, error) {
	request, err := parse(query)
	if err == nil && query.Has("id_token_hint") {
		hint, wrong := h.readHint(query.Get("id_token_hint"))
		if wrong != nil {
			return request, invalidRequest("id_token_hint is not an ID token from this issuer")
		}
		err = request.OnlyFor(hint.UserID)
	}
	return request, err
}

// weak reports whether the client would like a second factor, which the account has
// and the session has not. With prompt=none, the user cannot be asked for it.
func (h *Handler) weak(r *http.Request, request openid.Request, found session.Found) (bool, error) {
	if !request.Strong || request.None || found.User.ID == "" || found.Session.Strong() {
		return false, nil
	}
	second, err := h.Actions.Flows.SecondFactors(r.Context(), found.User.ID)
	return second.Any(), err
}

// give sends the browser back with a code, or asks the user first. If another request has spent the mark, or the
// session has ended or the rules say otherwise meanwhile, the request is judged again.
func (h *Handler) give(w http.ResponseWriter, r *http.Request, found session.Found, request openid.Request, mark flow.Mark, rawQuery string, agreed bool) error {
	if request.Ask && request.Client.Consent && !agreed {
		return h.Screens.AskConsent(w, r, found, request, rawQuery, h.another(w, r, rawQuery))
	}
	code, err := h.OpenID.Authorize(r.Context(), h.Actions.Caller(w, r), found, request, mark, agreed)
	switch {
	case errors.Is(err, flow.ErrMarkSpent):
		return server.SeeOther(w, pages.Authorize+"?"+flow.CutMark(rawQuery))
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.Authorize+"?"+rawQuery)
	case errors.Is(err, openid.ErrConsentNeeded) && request.None:
		return h.refuse(w, r, request, &openid.Error{Code: "consent_required", Description: "the user must agree"})
	case errors.Is(err, openid.ErrConsentNeeded):
		return h.Screens.AskConsent(w, r, found, request, rawQuery, h.another(w, r, rawQuery))
	case err != nil:
		return h.refuse(w, r, request, err)
	}
	if !request.Client.Guest {
		h.Actions.KeepApp(w, r, form.AtClient(request.Client.ID))
	}
	return h.answer(w, r, request, url.Values{"code": {code}})
}

// signIn sends the browser to the sign-in page, which leads back to the request.
func (h *Handler) signIn(w http.ResponseWriter, r *http.Request, request openid.Request, asked string, again bool) error {
	query := url.Values{"email": {request.Hint}}
	if again {
		query.Set("again", "1")
	}
	return h.lead(w, r, request, pages.SignIn, query, h.OpenID.Sent(asked, h.Actions.BindBrowser(w, r)))
}

// another returns the address of the sign-in with another account, which leads back to the
// request. It is "" if the request is too long for that.
func (h *Handler) another(w http.ResponseWriter, r *http.Request, rawQuery string) string {
	location, _ := h.leading(pages.SignIn, url.Values{}, h.OpenID.Sent(flow.CutMark(rawQuery), h.Actions.BindBrowser(w, r)))
	return location
}

// lead sends the browser to a page of ours, which leads back to the request.
func (h *Handler) lead(w http.ResponseWriter, r *http.Request, request openid.Request, page string, query url.Values, rawQuery string) error {
	location, fits := h.leading(page, query, rawQuery)
	if !fits {
		return h.refuse(w, r, request, errTooLong())
	}
	return server.SeeOther(w, location)
}

// leading returns the address of a page of ours that leads back to a request, and false if the
// request is too long for that.
func (h *Handler) leading(page string, query url.Values, rawQuery string) (string, bool) {
	target := pages.Authorize + "?" + rawQuery
	query.Set("return_to", target)
	location := pages.With(page, query)
	if len(location) > maxLocation || h.Actions.Targets.Check(target) == (flow.Target{}) {
		return "", false
	}
	return location, true
}

// authorizeForm redirects a request in a form to a GET of the same path. Browsers
// send cookies with that GET, but not with a cross-site POST. The GET judges the parameters, so that
// the client hears of a wrong one.
func (h *Handler) authorizeForm(w http.ResponseWriter, r *http.Request) error {
	query, err := parseForm(r)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	location := pages.Authorize + "?" + query.Encode()
	if len(location) > maxLocation {
		request, _, _, err := h.parse(w, r, query.Encode())
		if err == nil {
			err = errTooLong()
		}
		return h.refuse(w, r, request, err)
	}
	return server.SeeOther(w, location)
}

// refuse answers a request with an error: at the client if its address is known to be the client's own, else on our
// page. An address that anybody can have published gets no answer either: a link to Portico would lead on to any
// site, and tell it whether there is a session (RFC 9700 4.11.2).
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, request openid.Request, err error) error {
	var wrong *openid.Error
	switch {
	case !errors.As(err, &wrong):
		return err
	case request.OfStranger():
		return openid.Refused.WithCause(err)
	}
	return h.answerError(w, r, request, err, wrong)
}

// answerError sends the browser back to the client with an error. The user has seen where it leads, or refuse has judged
// the address.
func (h *Handler) answerError(w http.ResponseWriter, r *http.Request, request openid.Request, err error, wrong *openid.Error) error {
	server.Note(w, openid.Refused.WithCause(err))
	return h.answer(w, r, request, url.Values{"error": {wrong.Code}, "error_description": {wrong.Description}})
}

// answer sends the browser back to the client (RFC 6749 4.1.2, RFC 9207).
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, request openid.Request, values url.Values) error {
	values.Set("iss", h.issuer)
	if request.State != "" {
		values.Set("state", request.State)
	}
	if request.FormPost {
		return h.postBack(w, r, request, values)
	}
	return server.SeeOther(w, openid.WithQuery(request.RedirectURI, values))
}

// remaining returns the whole seconds until a time.
func (h *Handler) remaining(until time.Time) int { return int(until.Sub(h.Clock.Now()) / time.Second) }
