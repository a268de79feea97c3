package screens

import (
	"net/http"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// terms asks a browser that waits for it to accept the terms of use.
func (s *Screens) terms(w http.ResponseWriter, r *http.Request) error {
	return s.step(w, r, flow.Accept, func(v flow.View) error {
		person, err := s.person(w, r)
		if err != nil {
			return err
		}
		return s.show(w, r, form.ScreenTerms, func(b *Boot) { fillTerms(b, v, person) })
	})
}

func fillTerms(b *Boot, v flow.View, person SignedIn) {
	b.Flow, b.Session = form.FlowOf(v), other(person, account.Display(v.Address))
}

// termsForm is the form of the page. Action is the pressed button.
type termsForm struct {
	Flow   string `json:"flow"`
	Terms  string `json:"terms"`
	Action string `json:"action"`
}

const actionRefuse = "refuse"

func (s *Screens) postTerms(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[termsForm](r)
	if err != nil {
		return err
	}
	next := ""
	if in.Action == actionRefuse {
		next, err = s.Actions.RefuseTerms(w, r, form.RefuseTerms{Flow: in.Flow})
	} else {
		next, err = s.Actions.AcceptTerms(w, r, form.AcceptTerms{Flow: in.Flow, Terms: in.Terms})
	}
	if err == nil {
		return server.SeeOther(w, next)
	}
	return s.stepAgain(w, r, in.Flow, err, flow.Accept, pages.Terms, func(v flow.View) error {
		person, personErr := s.person(w, r)
		if personErr != nil {
			return personErr
		}
		return s.refuse(w, r, form.ScreenTerms, err, func(b *Boot) { fillTerms(b, v, person) })
	})
}
