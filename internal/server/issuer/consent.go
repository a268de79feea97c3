package issuer

import (
	"errors"
	"net/http"
	"strings"

	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// consentAnswer is the form of the consent page. Account and Scopes are what the
// page has named.
type consentAnswer struct {
	Account string `json:"account"`
	Request string `json:"request"`
	Scopes  string `json:"scopes"`
	Answer  string `json:"answer"`
}

// allowed is the answer of the button that gives the client what it asks for. Any other
// answer refuses.
const allowed = "allow"

// consent takes the answer of the user. The request is judged again. If the page
// named another user or other scopes, it is shown anew.
func (h *Handler) consent(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[consentAnswer](r)
	if err != nil {
		return err
	}
	request, _, mark, err := h.parse(w, r, in.Request)
	if err != nil {
		return h.refuse(w, r, request, err)
	}
	found, err := h.Actions.Session(w, r)
	if err != nil && !errors.Is(err, session.Required) {
		return err
	}
	if err != nil || found.User.ID != in.Account || in.Scopes != strings.Join(request.Asks(), " ") {
		return server.SeeOther(w, pages.Authorize+"?"+in.Request)
	}
	if in.Answer != allowed {
		if err := h.OpenID.EndMark(r.Context(), mark); err != nil {
			return err
		}
		denied := &openid.Error{Code: "access_denied", Description: "the user did not agree"}
		return h.answerError(w, r, request, denied, denied)
	}
	return h.decide(w, r, in.Request, true)
}
