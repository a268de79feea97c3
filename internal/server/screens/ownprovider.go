package screens

import (
	"errors"
	"net/http"
	"net/url"

	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// providersPage is the page of the providers, connected or not.
func (s *Screens) providersPage() page {
	return s.ownPage(section{
		screen: ScreenAccountProviders, path: pages.Providers, guarded: true, fill: s.fillProviders,
		says:  []string{form.ProviderConnected, form.ProviderDisconnected},
		forms: []pageForm{{below: "/connect", take: s.connectProvider}, post("/disconnect", s.Actions.DisconnectProvider, nil)},
	})
}

// connectProvider answers with the page on the way to the provider.
func (s *Screens) connectProvider(p page) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[form.OwnProvider](r)
		if err != nil {
			return err
		}
		to, err := s.Actions.ConnectProvider(w, r, in)
		if err == nil {
			return s.Leave(w, r, in.Provider, to)
		}
		if text := connectText(fault.From(err).Code); text != "" {
			server.Note(w, err)
			return server.SeeOther(w, pages.With(p.path, url.Values{"failed": {fault.From(err).Code}, "provider": {in.Provider}}))
		}
		return p.again(w, r, err, nothing)
	}
}

// overtaken is the word for an attempt to connect a provider that a change of the account
// has ended.
const overtaken = "overtaken"

// connectText returns the key of the message about an attempt to connect a provider
// that has failed, or "" for other faults.
func connectText(code string) string {
	switch code {
	case flow.CodeIdentityTaken:
		return "failure.connect.taken"
	case flow.CodeAlreadyLinked:
		return "failure.connect.already"
	case overtaken:
		return "failure.connect.overtaken"
	case federation.CodeCancelled:
		return "failure.connect.cancelled"
	case federation.CodeUnavailable, federation.CodeRejected, federation.CodeUnknown, flow.CodeFlowUnknown, flow.CodeFlowConflict:
		return "failure.connect.failed"
	}
	return ""
}

// fillProviders adds the providers, and why the last attempt has failed. Only the
// browser of the attempt reads that an identity belongs to another account.
func (s *Screens) fillProviders(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	list, err := s.Owner.OwnProviders(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	for _, l := range list {
		b.Account.Providers = append(b.Account.Providers, LinkedProvider{ID: l.ID, Name: l.Name, Since: s.moment(b.Locale, l.Since)})
	}
	query := r.URL.Query()
	text := connectText(query.Get("failed"))
	if query.Get("failed") == flow.CodeIdentityTaken {
		v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), query.Get("attempt"))
		switch {
		case errors.Is(err, flow.Unknown), err == nil && v.Step != flow.Exchange:
			text = ""
		case err != nil:
			return err
		}
	}
	if text != "" {
		b.Notice = s.Catalogue.Text(b.Locale, text, map[string]string{"provider": s.providerName(query.Get("provider"))})
	}
	return nil
}
