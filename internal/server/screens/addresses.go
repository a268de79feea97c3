package screens

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/pages"
	"portico/internal/server/form"
	"portico/internal/session"
)

// addressesPage is the page of the addresses.
func (s *Screens) addressesPage() page {
	return s.ownPage(section{
		screen: ScreenAccountAddresses, path: pages.Addresses, guarded: true, fill: s.fillAddresses,
		says: []string{form.AddressSaved, form.AddressRemoved},
		forms: []pageForm{
			post("", s.Actions.ChangeAddress, func(in form.ChangeAddress, b *Boot) {
				b.Values.Email = in.Email
				b.Account.Primary = yes(in.Use != form.UseRecovery)
			}),
			post("/primary", s.Actions.MakePrimary, nil),
			post("/recovery", s.Actions.SetRecovery, nil),
			post("/remove", s.Actions.RemoveAddress, nil),
		},
	})
}

// fillAddresses adds the addresses other than the primary one.
func (s *Screens) fillAddresses(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	list, err := s.Owner.Addresses(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	for _, o := range list {
		shown := OtherAddress{ID: o.Address.Mail, Address: account.Display(o.Address.Mail)}
		switch {
		case o.Use == account.Recovery:
			shown.Recovery = yes(true)
		case !o.Own():
			shown.Until = s.moment(b.Locale, o.Until)
		}
		b.Account.Addresses = append(b.Account.Addresses, shown)
	}
	if v, err := s.Actions.Flows.View(r.Context(), s.Actions.Caller(w, r), r.URL.Query().Get("flow")); err == nil && v.Overtaken {
		b.Values.Email = account.Display(v.Address) // typed before another change
	}
	return s.fillPasskeyUser(r, found, b)
}
