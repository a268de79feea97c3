package screens

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server/form"
)

// termsPage asks a browser that waits for it to accept the terms of use.
func (s *Screens) termsPage() page {
	return page{
		screen: ScreenTerms, path: pages.Terms, step: flow.Accept, fill: fillTerms,
		forms: []pageForm{
			post("", s.Actions.AcceptTerms, func(in form.AcceptTerms, b *Boot) { b.Flow.ID = in.Flow }),
			post("/refuse", s.Actions.RefuseTerms, func(in form.RefuseTerms, b *Boot) { b.Flow.ID = in.Flow }),
		},
	}
}

func fillTerms(_ *http.Request, b *Boot, v flow.View, person SignedIn) {
	b.Flow, b.Session = form.FlowOf(v), other(person, account.Display(v.Address))
}
