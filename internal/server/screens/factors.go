package screens

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rsc.io/qr"

	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// factorsPage is the page of the second factors.
func (s *Screens) factorsPage() page {
	begun := func(in form.AddFactor, b *Boot) { b.ReturnTo = s.Actions.Targets.Check(in.ReturnTo).String() }
	return page{
		path: pages.Factors, show: s.factors, again: s.factorsAgain,
		forms: []pageForm{
			post("", s.Actions.ConfirmFactor, func(in form.ConfirmFactor, b *Boot) { b.Flow.ID = in.Flow }),
			post("/add", s.Actions.AddFactor, begun),
			post("/codes", s.Actions.MakeCodes, begun),
			post("/saved", s.Actions.SavedCodes, func(in form.SavedCodes, b *Boot) { b.Flow.ID = in.Flow }),
			post("/remove", s.Actions.RemoveFactor, nil),
		},
	}
}

// factors shows the second factors of the signed-in user, or a step of adding one.
// All of them need a fresh proof.
func (s *Screens) factors(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Actions.Session(w, r)
	target := s.asked(r).String()
	if err == nil {
		err = s.Owner.Fresh(r.Context(), found)
	}
	if err != nil {
		page := pages.With(pages.Factors, url.Values{"return_to": {target}, "flow": {r.URL.Query().Get("flow")}})
		return s.proveFirst(w, r, found, page, err)
	}
	v, err := s.Owner.Enrolment(r.Context(), s.Actions.Caller(w, r), found, r.URL.Query().Get("flow"))
	if err != nil {
		return err
	}
	said := s.Actions.Said(w, r)
	head := Boot{Locale: s.Actions.Locale(w, r)}
	if err := s.head(r, found, &head); err != nil {
		return err
	}
	return s.show(w, r, ScreenAccountFactors, func(b *Boot) {
		b.Account, b.Notice, b.Again = head.Account, head.Notice, head.Again
		s.wayBack(w, r, b)
		if v.Overtaken {
			b.Notice = server.Words(s.Catalogue, b.Locale, flow.Overtaken)
		}
		s.fillFactors(b, v, found, r.URL.Query().Get("flow"), target)
		b.Success = s.success(b.Locale, said, form.FactorOn, form.FactorOff, form.FactorRemoved)
	})
}

// proveFirst redirects to where the user gives the proof that a page needs: the
// strongest if there is one, else the first.
func (s *Screens) proveFirst(w http.ResponseWriter, r *http.Request, found session.Found, page string, err error) error {
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, page))
	case !errors.Is(err, flow.ProofNeeded):
		return err
	}
	return s.proveAgain(w, r, personOf(found), page)
}

// proveAgain is proveFirst for a signed-in user whose proof is too old.
func (s *Screens) proveAgain(w http.ResponseWriter, r *http.Request, person SignedIn, page string) error {
	second, err := s.Actions.Flows.SecondFactors(r.Context(), person.ID)
	if err != nil {
		return err
	}
	if second.Any() {
		return server.SeeOther(w, pages.ReturnTo(pages.MFA, page))
	}
	return server.SeeOther(w, pages.With(pages.SignIn, url.Values{"again": {"1"}, "return_to": {page}}))
}

// fewCodes is the number of recovery codes from which on a new set is offered.
const fewCodes = 1

func (s *Screens) fillFactors(b *Boot, v flow.FactorsView, found session.Found, id, target string) {
	b.Session, b.ReturnTo = personOf(found), target
	b.Factors.State = "list"
	for _, f := range v.Factors {
		b.Factors.List = append(b.Factors.List, Factor{
			ID: f.ID, Added: s.moment(b.Locale, f.CreatedAt), Used: s.used(b.Locale, f.CreatedAt, f.UsedAt),
			Last: yes(v.Last),
		})
	}
	b.Factors.Full = yes(len(v.Factors) >= factor.Most)
	if v.Any {
		b.Factors.Left = strconv.Itoa(v.Left)
		b.Factors.Few = yes(v.Left > 0 && v.Left <= fewCodes)
	}
	switch v.Step {
	case flow.Confirm:
		b.Flow.ID, b.Factors.State = id, "app"
		b.Factors.Secret, b.Factors.URI = v.Secret.Text(), v.URI
		b.Factors.QR, b.Factors.Size = drawn(v.URI)
	case flow.Codes:
		b.Flow.ID, b.Factors.State = id, "codes"
		b.Factors.Made = s.Catalogue.Day(b.Locale, s.Actions.Now())
		for _, text := range v.Codes {
			b.Factors.Codes = append(b.Factors.Codes, RecoveryCode{ID: text})
		}
	}
}

// quiet is the margin that a QR code needs (ISO/IEC 18004 6.3.8).
const quiet = 4

// drawn returns the dark modules of a QR code as the path of an SVG, and the
// modules of a side. An address that is too long for one has no picture.
func drawn(text string) (path, size string) {
	c, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", ""
	}
	var b strings.Builder
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			from := x
			for c.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return b.String(), strconv.Itoa(c.Size + 2*quiet)
}

// factorsAgain shows the page again after a press was refused, or leads to where it can succeed.
func (s *Screens) factorsAgain(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
	id, target := said(keep).Flow.ID, said(keep).ReturnTo
	found, sessionErr := s.Actions.Session(w, r)
	switch {
	case sessionErr != nil, errors.Is(err, flow.ProofNeeded), errors.Is(err, session.Required):
		page := pages.With(pages.Factors, url.Values{"return_to": {target}, "flow": {id}})
		return s.proveFirst(w, r, found, page, errors.Join(sessionErr, err))
	case flow.IsOvertaken(err):
		return server.SeeOther(w, pages.Flow(pages.Factors, id)) // which says so
	case errors.Is(err, flow.Unknown):
		return server.SeeOther(w, overPath(r))
	case errors.Is(err, flow.Moved), errors.Is(err, form.AccountChanged), fault.From(err).Kind == fault.Missing:
		return server.SeeOther(w, pages.Factors) // a second press, or another user by now; the page shows the state
	}
	v, viewErr := s.Owner.Enrolment(r.Context(), s.Actions.Caller(w, r), found, id)
	if viewErr != nil {
		return viewErr
	}
	head := Boot{Locale: s.Actions.Locale(w, r)}
	if err := s.head(r, found, &head); err != nil {
		return err
	}
	return s.refuse(w, r, ScreenAccountFactors, err, func(b *Boot) {
		b.Account, b.Again = head.Account, head.Again
		s.wayBack(w, r, b)
		s.fillFactors(b, v, found, id, target)
	})
}
