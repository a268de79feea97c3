package issuer

import (
	"errors"
	"net/http"
	"net/url"

	"portico/internal/fault"
	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// deviceForm is the form of the page for devices: the code, then the answer of the user
// whom the page has named.
type deviceForm struct {
	Code    string `json:"code"`
	Account string `json:"account"`
	Answer  string `json:"answer"`
}

// devicePage asks for the code of a device. A code in the link only fills the field, so
// that a link does nothing by itself.
func (h *Handler) devicePage(w http.ResponseWriter, r *http.Request) error {
	code, _ := openid.ReadUserCode(r.URL.Query().Get("user_code"))
	found, err := h.Actions.Session(w, r)
	if errors.Is(err, session.Required) {
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, deviceLink(code)))
	}
	if err != nil {
		return err
	}
	return h.Screens.AskCode(w, r, found, code, nil)
}

// deviceLink returns the address of the page with a code in its field.
func deviceLink(code string) string { return pages.With(pages.Device, url.Values{"user_code": {code}}) }

// postDevice takes a code, and asks whether to go on. With the answer to that it lets
// the device in, or refuses it. The code is checked each time.
func (h *Handler) postDevice(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[deviceForm](r)
	if err != nil {
		return err
	}
	code, _ := openid.ReadUserCode(in.Code)
	found, err := h.Actions.Session(w, r)
	if errors.Is(err, session.Required) {
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, deviceLink(code)))
	}
	if err != nil {
		return err
	}
	caller := h.Actions.Caller(w, r)
	d, client, err := h.OpenID.Device(r.Context(), caller, found, code)
	if err != nil {
		return h.askAgain(w, r, found, code, err)
	}
	if led, err := h.barred(w, r, found, client, d, code); led || err != nil {
		return err
	}
	switch {
	case in.Answer == "" || in.Account != found.User.ID:
		return h.Screens.AskDevice(w, r, found, client, d, code)
	case in.Answer == allowed:
		if err = h.OpenID.AllowDevice(r.Context(), caller, found, client, d); errors.Is(err, rule.RoleMissing) {
			return h.exclude(w, r, found, client, d, code)
		}
	default:
		err = h.OpenID.DenyDevice(r.Context(), found, d)
	}
	if errors.Is(err, session.Required) { // or the rules say otherwise meanwhile
		return server.SeeOther(w, deviceLink(code))
	}
	if err != nil {
		return h.askAgain(w, r, found, code, err)
	}
	return h.Screens.ShowDevice(w, r, found, client, in.Answer == allowed)
}

// askAgain shows the page for the code with why it was refused.
func (h *Handler) askAgain(w http.ResponseWriter, r *http.Request, found session.Found, code string, err error) error {
	if fault.From(err).Kind == fault.Internal {
		return err
	}
	return h.Screens.AskCode(w, r, found, code, err)
}

// barred answers for a user who may not use the client, or must prove more first, and
// reports whether it has done so. A device whose user may not use it learns that.
func (h *Handler) barred(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, d openid.Device, code string) (bool, error) {
	s := found.Session
	switch client.Admits(openid.Standing{Roles: found.User.Roles, ProvenAt: s.AuthenticatedAt, StrongAt: s.StrongAt}, h.Clock.Now()) {
	case openid.TooOld:
		return true, server.SeeOther(w, pages.With(pages.SignIn, url.Values{"return_to": {deviceLink(code)}, "again": {"1"}}))
	case openid.NotStrong:
		return true, server.SeeOther(w, pages.ReturnTo(pages.MFA, deviceLink(code)))
	case openid.NotAdmitted:
		return true, h.exclude(w, r, found, client, d, code)
	}
	return false, nil
}

// exclude refuses a device whose user may not use the client.
func (h *Handler) exclude(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, d openid.Device, code string) error {
	if err := h.OpenID.DenyDevice(r.Context(), found, d); err != nil {
		return h.askAgain(w, r, found, code, err)
	}
	return h.Screens.RefuseUser(w, r, found, client, "", "")
}
