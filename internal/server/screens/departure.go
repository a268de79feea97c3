package screens

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server/form"
	"portico/internal/session"
)

// deletePage closes the account.
func (s *Screens) deletePage() page {
	return s.ownPage(section{
		screen: ScreenAccountDelete, path: pages.Delete, guarded: true, fill: s.fillDelete,
		forms: []pageForm{post("", s.Actions.DeleteAccount, nil)},
	})
}

// fillDelete adds when the account would be erased.
func (s *Screens) fillDelete(_ http.ResponseWriter, _ *http.Request, _ session.Found, b *Boot) error {
	b.Account.EraseAt = s.moment(b.Locale, s.Actions.Now().Add(account.Grace))
	return nil
}

// keepPage asks a browser that waits for it whether a closed account is kept.
func (s *Screens) keepPage() page {
	inFlow := func(in form.KeepAccount, b *Boot) { b.Flow.ID = in.Flow }
	return page{
		screen: ScreenKeep, path: pages.Keep, step: flow.Keep, fill: s.fillKeep,
		forms: []pageForm{post("", s.Actions.KeepAccount, inFlow), post("/drop", s.Actions.DropKeep, inFlow)},
	}
}

func (s *Screens) fillKeep(_ *http.Request, b *Boot, v flow.View, _ SignedIn) {
	b.Flow, b.Account.EraseAt = form.FlowOf(v), s.moment(b.Locale, v.EraseAt)
}
