package screens

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
)

// confirmLink is the page of mailed links. It moves the token from the URL into
// a cookie at once. Only the button on the page has an effect, because mail
// scanners open links.
func (s *Screens) confirmLink(w http.ResponseWriter, r *http.Request) error {
	if token, ok := mailed(r); ok {
		if !secret.ValidToken(token) {
			token = "malformed"
		}
		s.Actions.KeepLink(w, token)
		return server.SeeOther(w, pages.ConfirmLink)
	}
	token := s.Actions.Link(w, r)
	v, err := s.Actions.Flows.ViewLink(r.Context(), s.Actions.Caller(w, r), token)
	if err != nil {
		return err
	}
	person, err := s.person(w, r)
	if err != nil {
		return err
	}
	if v.Invited && v.Fault == nil {
		return server.SeeOther(w, pages.With(pages.SignUp, url.Values{"link": {form.LinkMark(token)}}))
	}
	if v.First {
		return s.signUpEnded(w, r, flow.SignUpFirst)
	}
	if v.Kind == flow.SignUp && s.Settings.SignUp == "" {
		return s.signUpClosed(w, r)
	}
	if v.Invited {
		if over := signUpOver(v.Fault); over != nil {
			return s.signUpEnded(w, r, over)
		}
	}
	if led, err := s.leadOn(w, r, v); err != nil || led {
		return err
	}
	waiting := ""
	if v.Fault != nil && errors.Is(v.Fault, code.LinkMalformed) {
		if waiting, err = s.Actions.Waiting(w, r); err != nil {
			return err
		}
	}
	return s.show(w, r, ScreenConfirmLink, func(b *Boot) {
		if v.Kind != flow.AddressChange {
			b.Session = other(person, account.Display(v.Email))
		}
		if r.URL.Query().Has("changed") { // the button of the previous page was refused
			b.Notice = server.Words(s.Catalogue, b.Locale, form.LinkChanged)
		}
		s.fillLink(b, v, token, person)
		switch {
		case b.Link.State == "malformed":
			b.Flow.ID = waiting // most likely the flow of the same email
		case b.Link.State == "used" && person != (SignedIn{}):
			b.Detail = s.Catalogue.Text(b.Locale, "failure.signed_in", map[string]string{"email": person.Email})
			b.Next = s.Actions.Targets.Or(flow.Target{})
		}
	})
}

// mailed returns the token in the URL of a mailed link, and whether there is one. Mail programs and people add
// a full stop or a bracket, so it ends where the characters of a token end.
func mailed(r *http.Request) (token string, ok bool) {
	_, token, ok = strings.Cut("&"+r.URL.RawQuery, "&token=")
	if end := strings.IndexFunc(token, notInToken); end >= 0 {
		token = token[:end]
	}
	return token, ok
}

func notInToken(r rune) bool {
	return r != '-' && r != '_' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// leadOn leads to the page of the code when the change of an address needs a proof or a
// sign-in, or when another change has ended it or a sign-in with earlier proofs. That page goes on from there.
func (s *Screens) leadOn(w http.ResponseWriter, r *http.Request, link flow.LinkView) (led bool, err error) {
	if link.FlowID == "" {
		return false, nil
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), link.FlowID)
	waits := link.Kind == flow.AddressChange && (v.Proof || s.signedIn(w, r) == SignedIn{})
	if err != nil || !v.Overtaken && !waits {
		return false, err
	}
	return true, server.SeeOther(w, pages.Flow(pages.VerifyCode, v.ID))
}

func (s *Screens) fillLink(b *Boot, v flow.LinkView, token string, person SignedIn) {
	b.Link = Link{State: "ready", Mark: form.LinkMark(token), Kind: string(v.Kind), Address: v.Address, Email: account.Display(v.Email)}
	if v.Handed {
		b.Link.Kind = "handed"
	}
	b.Flow.ID = v.FlowID
	if v.Fault != nil {
		b.Status, b.Link.State = server.Status(v.Fault), linkState(v.Fault)
	}
	switch state := b.Link.State; {
	case v.Away && state != "used":
		b.Link.State = "elsewhere" // this browser gets no other link either
		b.Next, b.NextLabel = pages.SignIn, s.Catalogue.Text(b.Locale, "failure.next.signin", nil)
		if person != (SignedIn{}) {
			b.Next, b.NextLabel = pages.Account, s.Catalogue.Text(b.Locale, "failure.next.own", nil)
		}
	case state == "replaced":
		b.Link.Age = s.Catalogue.Wait(b.Locale, v.Age)
	case state == "ready" && v.Password:
		b.Link.State = "password"
	}
}

func linkState(f *fault.Error) string {
	switch {
	case errors.Is(f, code.LinkExpired):
		return "expired"
	case errors.Is(f, code.LinkUsed):
		return "used"
	case errors.Is(f, code.LinkReplaced):
		return "replaced"
	}
	return "malformed"
}
