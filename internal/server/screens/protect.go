package screens

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server/form"
)

// protectPage lets a browser whose sign-in waits for it add a second factor.
func (s *Screens) protectPage() page {
	inFlow := func(in form.Protection, b *Boot) { b.Flow.ID = in.Flow }
	return page{
		screen: ScreenProtect, path: pages.Protect, step: flow.Protect, fill: s.fillProtect,
		forms: []pageForm{
			post("", s.Actions.ProtectByApp, func(in form.ProtectByApp, b *Boot) { b.Flow.ID = in.Flow }),
			post("/later", s.Actions.ProtectLater, inFlow),
			post("/restart", s.Actions.DropProtection, inFlow),
		},
	}
}

func (s *Screens) fillProtect(_ *http.Request, b *Boot, v flow.View, _ SignedIn) {
	b.Flow = form.FlowOf(v)
	b.Factors.Secret, b.Factors.URI = v.Secret.Text(), v.URI
	b.Factors.QR, b.Factors.Size = drawn(v.URI)
	b.Protect.Later = yes(v.Later)
	if v.Later {
		b.Protect.Until = s.moment(b.Locale, v.Until)
	}
}
