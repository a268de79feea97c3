package screens

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
)

// Leave writes the page on the way to a provider, which redirects by itself.
func (s *Screens) Leave(w http.ResponseWriter, r *http.Request, provider, to string) error {
	return s.leave(w, r, s.providerName(provider), to)
}

// onward writes the page on the way to an address to which no redirect leads.
func (s *Screens) onward(w http.ResponseWriter, r *http.Request, to string) error {
	if r.URL.RawQuery != "" {
		w.Header().Set("Referrer-Policy", "strict-origin") // the query may name a flow, or hold the code of a provider
	}
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	return s.leave(w, r, cmp.Or(u.Host, u.Scheme, r.Host), to)
}

// leave writes the page on the way to an address. whose is the name of its host.
func (s *Screens) leave(w http.ResponseWriter, r *http.Request, whose, to string) error {
	name := map[string]string{"provider": whose}
	return s.show(w, r, ScreenLeaving, func(b *Boot) {
		b.Title = s.Catalogue.Text(b.Locale, "leaving.title", name)
		b.Next, b.NextLabel = to, s.Catalogue.Text(b.Locale, "leaving.submit", name)
	})
}

// overText is the message about an attempt that has ended, or that this browser
// never started.
const overText = "signin.notice.over"

// endingText returns the key of the message about a fault that ended a provider
// sign-in, or "" for other faults.
func endingText(code string) string {
	switch code {
	case federation.CodeCancelled, federation.CodeUnavailable, federation.CodeRejected, federation.CodeUnknown,
		federation.CodeNoProof, flow.CodeProviderNoAddress, flow.CodeProviderAddressTaken:
		return "error." + code
	case flow.CodeFlowUnknown, flow.CodeFlowConflict:
		return overText
	case flow.CodeSignUpClosed:
		return "signin.notice.closed"
	case account.CodeDisabled, account.CodeEnded:
		return "signin.notice.disabled"
	case account.CodeWaits:
		return "error." + code
	}
	if signUpEnd(code) != "" {
		return "error." + code
	}
	return ""
}

// ofAnAccount reports whether a message reveals something about an account. It
// is shown only to the browser whose attempt ended so, because anybody can
// create a link.
func ofAnAccount(code string) bool {
	return code == flow.CodeProviderAddressTaken || code == account.CodeDisabled || code == account.CodeEnded || code == account.CodeWaits || signUpEnd(code) != ""
}

// Detour redirects a failed provider sign-in to the sign-in page, which says
// why and offers other ways. Unlike the callback with its used code, that page
// can be reloaded.
func (s *Screens) Detour(w http.ResponseWriter, r *http.Request, provider string, rest flow.Detour, err error) error {
	f := fault.From(err)
	target := rest.ReturnTo.String()
	query := url.Values{"return_to": {target}, "flow": {rest.JoinFlow}}
	if rest.Again {
		query.Set("again", "1")
	}
	if f.Kind == fault.Limited {
		server.Note(w, err)
		w.Header().Set("Retry-After", strconv.Itoa(server.RetryAfter(f)))
		return s.show(w, r, ScreenError, func(b *Boot) {
			s.explain(w, r, b, f)
			if b.Next = pages.With(pages.SignIn, query); rest.Connect {
				b.Next = pages.Providers
			}
		})
	}
	code := f.Code
	if errors.Is(err, flow.ProofNeeded) || flow.IsOvertaken(err) {
		code = overtaken // the page asks for a proof first, if one is needed
	}
	if rest.Connect && connectText(code) != "" {
		server.Note(w, err)
		return server.SeeOther(w, pages.With(pages.Providers, url.Values{"failed": {code}, "provider": {provider}, "attempt": {rest.Attempt}}))
	}
	if endingText(f.Code) == "" {
		return err
	}
	server.Note(w, err)
	query.Set("failed", f.Code)
	query.Set("provider", provider)
	if ofAnAccount(f.Code) {
		query.Set("attempt", rest.Attempt)
	}
	return server.SeeOther(w, pages.With(pages.SignIn, query))
}

// ending returns the key of the message about the attempt that Detour came
// from, or "", and the words of an app that has refused the sign-up. The URL only selects one of the
// known messages.
func (s *Screens) ending(w http.ResponseWriter, r *http.Request, person SignedIn) (text, said string, err error) {
	query := r.URL.Query()
	code := query.Get("failed")
	text = endingText(code)
	switch {
	case text == "":
		return "", "", nil
	case text == overText && person != (SignedIn{}):
		return "", "", nil // Back to the provider's page: that attempt created this session
	case code == flow.CodeFlowUnknown && len(r.Header["Cookie"]) == 0:
		return "signin.notice.no_cookie", "", nil
	case code == federation.CodeNoProof && person != (SignedIn{}):
		by, err := s.Owner.RenewalOf(r.Context(), person.ID)
		switch by {
		case flow.ByReset:
			text = "signin.notice.set_password"
		case flow.ByOther:
			text = "signin.notice.no_password"
		}
		return text, "", err
	case !ofAnAccount(code):
		return text, "", nil
	}
	v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), query.Get("attempt"))
	if errors.Is(err, flow.Unknown) || err == nil && v.Step != flow.Exchange {
		return "", "", nil
	}
	return text, v.Said, err
}
