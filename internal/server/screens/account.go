package screens

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// section is a page of the account.
type section struct {
	screen Screen
	path   string
	says   []string // messages about the step before it that it may show
	// guarded says that the page is nothing but a change that needs a recent
	// proof, so that it asks for the proof before anything is typed.
	guarded bool
	// prove says that the page is shown only after a recent proof.
	prove bool
	// fill adds what the page shows. nil for nothing but the user.
	fill  func(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error
	forms []pageForm
}

// accountPages lists the account pages.
func (s *Screens) accountPages() []page {
	list := []page{
		s.ownPage(section{screen: ScreenAccount, path: pages.Account, fill: s.fillOverview, says: []string{form.Verified, form.PasswordSaved, form.AccountKept}}),
		s.ownPage(section{
			screen: ScreenAccountPassword, path: pages.Password, guarded: true, fill: s.fillPassword,
			says:  []string{form.PasswordSaved, form.PasswordRemoved},
			forms: []pageForm{post("", s.Actions.ChangePassword, nil), post("/remove", s.Actions.RemovePassword, nil)},
		}),
		s.profilePage(), s.addressesPage(), s.sessionsPage(),
		s.ownPage(section{screen: ScreenAccountHistory, path: pages.History, fill: s.fillHistory}),
		s.ownPage(section{
			screen: ScreenAccountApps, path: pages.Apps, fill: s.fillApps, says: []string{form.AppRemoved},
			forms: []pageForm{post("", s.Actions.RemoveApp, nil)},
		}),
		s.ownPage(section{
			screen: ScreenAccountBrowsers, path: pages.Browsers, fill: s.fillBrowsers, says: []string{form.TrustEnded},
			forms: []pageForm{post("", s.Actions.EndTrust, nil)},
		}),
		s.ownPage(section{
			screen: ScreenAccountTokens, path: pages.Tokens, guarded: true, fill: s.fillTokens, says: []string{form.TokenEnded},
			forms: []pageForm{post("", s.Actions.MakeToken, keepToken), post("/end", s.Actions.EndToken, nil)},
		}),
		s.dataPage(), s.deletePage(), s.providersPage(), s.factorsPage(),
	}
	if s.Settings.Passkeys != "" {
		list = append(list, s.passkeysPage(), s.offerPage())
	}
	return list
}

// ownPage returns the page of a section.
func (s *Screens) ownPage(p section) page {
	return page{
		screen: p.screen, path: p.path, show: s.own(p), forms: p.forms,
		again: func(w http.ResponseWriter, r *http.Request, err error, keep func(*Boot)) error {
			return s.refuseOwn(w, r, p, err, keep)
		},
	}
}

// profilePage is the page of the name, the language of emails and the picture.
func (s *Screens) profilePage() page {
	return s.ownPage(section{
		screen: ScreenAccountProfile, path: pages.Profile, fill: s.fillProfile,
		says: []string{form.ProfileSaved, form.ProfileUndone, form.PortraitSaved, form.PortraitRemoved},
		forms: []pageForm{
			post("", s.Actions.ChangeProfile, func(in form.ChangeProfile, b *Boot) {
				b.Values.Name = in.Name
				choose(b.Account.Languages, in.Locale)
			}),
			post("/undo", s.Actions.UndoProfile, nil),
			{below: "/picture", take: s.postPortrait, traits: []server.Trait{server.Upload(maxUpload)}},
			post("/picture/remove", s.Actions.RemovePortrait, nil),
		},
	})
}

// own shows an account page to the signed-in user. Without a session it leads to
// the sign-in and back.
func (s *Screens) own(p section) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		s.arriveFrom(w, r)
		found, err := s.Actions.Session(w, r)
		if errors.Is(err, session.Required) {
			return signInFirst(w, p)
		}
		if err != nil {
			return err
		}
		if p.prove {
			if err := s.Owner.Fresh(r.Context(), found); err != nil {
				return s.proveFirst(w, r, found, p.path, err)
			}
		}
		b, err := s.section(w, r, p, found)
		if err != nil {
			return err
		}
		said := s.Actions.Said(w, r)
		b.Success = s.success(b.Locale, said, p.says...)
		if said == form.ProfileSaved && p.path == pages.Profile && s.Actions.Undoes(w, r, found.User.ID) {
			b.Next = pages.Profile + "/undo"
		}
		return s.documents[b.Locale][p.screen].serve(w, r, b.Status, b)
	}
}

func signInFirst(w http.ResponseWriter, p section) error {
	return server.SeeOther(w, pages.With(pages.SignIn, url.Values{"return_to": {p.path}}))
}

// section returns the data of an account page.
func (s *Screens) section(w http.ResponseWriter, r *http.Request, p section, found session.Found) (Boot, error) {
	b := s.boot(p.screen, s.Actions.Locale(w, r))
	b.Session, b.Here = personOf(found), p.path
	s.wayBack(w, r, &b)
	if err := s.head(r, found, &b); err != nil {
		return b, err
	}
	if p.guarded && b.Again != closed {
		if err := s.askProof(r, found, &b); err != nil {
			return b, err
		}
	}
	if p.fill == nil {
		return b, nil
	}
	return b, p.fill(w, r, found, &b)
}

// closed is the value of Boot.Again while an alarm closes the account to the changes of a page.
const closed = "closed"

// askProof lets the page ask for a proof if a change needs a new one.
func (s *Screens) askProof(r *http.Request, found session.Found, b *Boot) error {
	err := s.Owner.Fresh(r.Context(), found)
	b.Again = yes(errors.Is(err, flow.ProofNeeded))
	if b.Again != "" {
		return nil
	}
	return err
}

// head adds what every account page shows of its user: the initials or the picture, and for
// how long an alarm closes the account to changes of how it is signed in to.
func (s *Screens) head(r *http.Request, found session.Found, b *Boot) error {
	h, err := s.Owner.Head(r.Context(), found.User.ID)
	b.Account.Initials = account.Initials(found.User.Name, account.Display(found.User.Address))
	if h.Portrait != "" {
		b.Account.Picture = pages.Portrait(h.Portrait)
	}
	if h.Closed != nil {
		wait := s.Catalogue.Wait(b.Locale, fault.From(h.Closed).RetryAfter)
		b.Again, b.Notice = closed, s.Catalogue.Text(b.Locale, "state.closed", map[string]string{"wait": wait})
	}
	return err
}

// refuseOwn answers a form of an account page that has failed. restore puts the
// typed values back, except passwords.
func (s *Screens) refuseOwn(w http.ResponseWriter, r *http.Request, p section, err error, restore func(*Boot)) error {
	if errors.Is(err, session.Required) {
		return signInFirst(w, p)
	}
	f := fault.From(err)
	if f.Kind == fault.Internal {
		return err
	}
	note(w, f, err)
	found, err := s.Actions.Session(w, r)
	if err != nil {
		return err
	}
	b, err := s.section(w, r, p, found)
	if err != nil {
		return err
	}
	if f.Code != form.CodeAccountChanged { // what was typed is not for the account that the page shows now
		restore(&b)
	}
	s.blame(r, &b, f)
	if f.Code == form.CodeAccountChanged {
		b.Errors.Form = s.Catalogue.Text(b.Locale, "state.other", nil)
	}
	if f.Code == flow.CodeAlarmed {
		b.Notice = "" // the error says the same
	}
	if f.Code == flow.CodeProofNeeded {
		b.Again, b.Errors.Form = yes(true), "" // the page asks for the proof
	}
	return s.documents[b.Locale][p.screen].serve(w, r, b.Status, b)
}

// fillPassword adds whether the account has a password, and whether it may be
// removed. While an alarm closes the account to changes, a password can still be replaced.
func (s *Screens) fillPassword(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	ways, err := s.Owner.Ways(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	switch {
	case !ways.Password:
		b.Account.Password = "none"
	case ways.Others > 0 && b.Again != closed:
		b.Account.Password = "removable"
	default:
		b.Account.Password = "only"
		return s.askProof(r, found, b)
	}
	return nil
}

// fillProfile adds the name, and the languages that emails can have.
func (s *Screens) fillProfile(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	profile, err := s.Owner.Profile(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	b.Values.Name = profile.Name
	for _, loc := range s.Catalogue.Locales() {
		b.Account.Languages = append(b.Account.Languages, Choice{ID: loc, Name: s.Catalogue.Text(loc, "common.language", nil)})
	}
	choose(b.Account.Languages, cmp.Or(profile.Locale, b.Locale))
	return s.fillPasskeyUser(r, found, b)
}

// choose marks the choice with the id.
func choose(list []Choice, id string) {
	for i := range list {
		list[i].Chosen = yes(list[i].ID == id)
	}
}
