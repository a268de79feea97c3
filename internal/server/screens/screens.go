package screens

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"portico/internal/account"
	"portico/internal/brand"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/locale"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// Config configures Screens.
type Config struct {
	Actions   *form.Actions
	Owner     *flow.Owner
	Catalogue *locale.Catalogue
	Dist      fs.FS // the built front end
	Brand     Brand
	Theme     *brand.Theme  // nil for the default
	Pictures  []*brand.File // the pictures of providers
	Legal     Legal
	Settings  Settings
	Sender    string // sender address of emails; "" if none are sent
	Providers []Provider
	Related   []string // other origins that may use the passkeys
	// ClientApp returns an OpenID client of the settings, and AppAt the app or the allowed origin that has an
	// address, of this site if it names no host. Both return LinkedApp{} for others.
	ClientApp func(id string) LinkedApp
	AppAt     func(address *url.URL) LinkedApp
	// Describe returns a browser in words, such as "Firefox, Linux"; "" if it is unknown.
	Describe func(userAgent string) string
	// Place returns the city and country of a network in words, "" if it is unknown.
	Place func(network, locale string) string
	// Root says that no app has the path "/", so that Screens handles it.
	Root bool
}

// Screens serves the documents. It is safe for concurrent use.
type Screens struct {
	Config
	documents map[string][]*document // by locale and screen
	assets    map[string]asset
	files     map[string]*server.Content // the operator's files, by path
	pageOf    map[string]string          // the page of a form that has another path, by that path
}

// New finds the documents and assets, which are read at their first use. It returns
// ErrNotBuilt if the front end was not built, and fails if a document is missing.
func New(cfg Config) (*Screens, error) {
	if cfg.Theme == nil {
		cfg.Theme = brand.Default()
	}
	if logo := cfg.Theme.Shown(); logo != nil {
		cfg.Brand.Logo = logo.Path
	}
	cfg.Settings.Providers = yes(len(cfg.Providers) > 0)
	documents, err := load(cfg.Dist, cfg.Catalogue, cfg.Theme)
	if err != nil {
		return nil, err
	}
	assets, err := findAssets(cfg.Dist)
	if err != nil {
		return nil, err
	}
	s := &Screens{
		Config: cfg, documents: documents, assets: assets, pageOf: map[string]string{},
		files: files(slices.AppendSeq(slices.Clone(cfg.Pictures), maps.Values(cfg.Theme.Files()))),
	}
	for loc, screens := range documents {
		for i, d := range screens {
			b := s.boot(Screen(i), loc)
			d.plain = sync.OnceValues(func() (*server.Content, error) {
				body, err := d.fill(b)
				if err != nil {
					return nil, err
				}
				return server.NewContent(htmlType, body), nil
			})
		}
	}
	return s, nil
}

// Warm compresses the most requested documents in the default language, so that
// their first visitors need not wait. A document in another language costs its
// first visitor some milliseconds. It returns early when ctx ends.
func (s *Screens) Warm(ctx context.Context) {
	screens := s.documents[s.Catalogue.Match("")]
	for _, screen := range []Screen{ScreenSignIn, ScreenSignUp, ScreenForgotPassword, ScreenVerifyCode} {
		if ctx.Err() != nil {
			return
		}
		_, _ = screens[screen].plain() // an error returns at each request
	}
}

// Mount registers the routes.
func (s *Screens) Mount(m *server.Mux) {
	if s.Root {
		m.Handle("GET /{$}", leadTo(pages.SignIn))
	}
	for _, p := range append(s.publicPages(), s.accountPages()...) {
		s.mount(m, p)
	}
	m.Handle("POST "+pages.SignOut, s.signOut)
	m.Handle("GET "+pages.SignOut, askSignOut)
	if s.Settings.Passkeys != "" && len(s.Related) > 0 {
		m.Handle("GET /.well-known/webauthn", s.relatedOrigins)
	}
	// For password managers (W3C, A Well-Known URL for Changing Passwords). Without a
	// session, the page leads to the sign-in and back.
	m.Handle("GET /.well-known/change-password", leadTo(pages.Password))
	m.Handle("GET "+pages.Portrait("{id}"), s.portrait, server.Quiet)
	m.Handle("GET "+pages.Root+"/assets/{file}", s.asset, server.Quiet, server.EveryHost)
	m.Handle("GET "+pages.Brand("{file}"), s.brandFile, server.Quiet, server.EveryHost)
	m.Handle("POST "+pages.Language, post("", s.Actions.ChooseLanguage, nil).take(page{again: fail}), server.EveryHost)
	s.mountSpellings(m)
	m.ErrorPage(s.errorPage)
	m.LeavingPage(s.onward)
}

// boot returns the data of a document without data of a request.
func (s *Screens) boot(screen Screen, loc string) Boot {
	return Boot{
		Screen: screen.String(), Locale: loc, Locales: s.languages(), Here: pages.Root + "/" + screen.String(),
		Brand: s.Brand, Legal: s.Legal, Settings: s.Settings, Sender: s.Sender, Providers: s.Providers, Status: http.StatusOK,
		Factors:  Factors{List: []Factor{}, Codes: []RecoveryCode{}},
		Account:  Account{Providers: []LinkedProvider{}, Languages: []Choice{}, History: []Event{}, Apps: []App{}, Browsers: []TrustedBrowser{}, Addresses: []OtherAddress{}, Sessions: []OwnSession{}, Alerts: []Alert{}},
		Client:   Client{Scopes: []Scope{}},
		Passkeys: Passkeys{List: []Passkey{}},
		Tokens:   Tokens{List: []Token{}, Apps: []Choice{}, Roles: []Choice{}, Lives: []Choice{}},
	}
}

// show writes a document. If change is nil, the document is served from memory.
func (s *Screens) show(w http.ResponseWriter, r *http.Request, screen Screen, change func(*Boot)) error {
	loc := s.Actions.Locale(w, r)
	d := s.documents[loc][screen]
	offered, marked := s.offered(w, r, screen)
	if change == nil && !marked && r.URL.RawQuery == "" {
		content, err := d.plain()
		if err != nil {
			return err
		}
		server.SetPolicy(w, d.policy)
		w.Header().Set("Content-Language", loc)
		content.Serve(w, r, http.StatusOK)
		return nil
	}
	b := s.boot(screen, loc)
	b.Providers = offered
	if change != nil {
		change(&b)
	}
	if screen == ScreenSignIn {
		s.nameApp(&b)
	}
	b.Here = s.here(r, b)
	return d.serve(w, r, b.Status, b)
}

// offered returns the providers of a screen. marked reports whether one of them
// is marked as the last one used in this browser.
func (s *Screens) offered(w http.ResponseWriter, r *http.Request, screen Screen) (list []Provider, marked bool) {
	if screen != ScreenSignIn && screen != ScreenSignUp {
		return s.Providers, false
	}
	last := s.Actions.LastProvider(w, r)
	at := slices.IndexFunc(s.Providers, func(p Provider) bool { return p.ID == last })
	if at < 0 {
		return s.Providers, false
	}
	list = slices.Clone(s.Providers)
	list[at].Last = yes(true)
	return list, true
}

// refuse shows the screen again with the message of a fault. Only the password
// must be typed again.
func (s *Screens) refuse(w http.ResponseWriter, r *http.Request, screen Screen, err error, change func(*Boot)) error {
	f := fault.From(err)
	if f.Kind == fault.Internal {
		return err // this screen may be broken: use the error page
	}
	note(w, f, err)
	return s.show(w, r, screen, func(b *Boot) {
		change(b)
		s.blame(r, b, f)
	})
}

// note logs why a form was refused, and says when it may be sent again.
func note(w http.ResponseWriter, f *fault.Error, err error) {
	server.Note(w, err)
	if wait := server.RetryAfter(f); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
}

// blame adds the messages of a fault to the data. It adds the request id only
// if an operator must look for the cause.
func (s *Screens) blame(r *http.Request, b *Boot, f *fault.Error) {
	b.Status = server.Status(f)
	b.Errors.Code, b.Errors.RetryAfter = f.Code, server.RetryAfter(f)
	if b.Status >= http.StatusInternalServerError {
		b.Errors.RequestID = server.RequestID(r.Context())
	}
	b.Errors.Form = s.words(r, b.Locale, f)
	for _, field := range f.Fields {
		if field.Code == f.Code {
			b.Errors.Form = "" // the field already says it
		}
		words := server.FieldWords(s.Catalogue, b.Locale, field)
		switch field.Name {
		case "name":
			b.Errors.Fields.Name = words
		case "email":
			b.Errors.Fields.Email = words
		case "password":
			b.Errors.Fields.Password = words
		case "confirm_password":
			b.Errors.Fields.Confirm = words
		case "code":
			b.Errors.Fields.Code = words
		case "terms":
			b.Errors.Fields.Terms = words
		}
	}
}

// words returns the message of a fault. If the step is unknown and the browser
// sends no cookie at all, it is about cookies, because a new attempt would fail
// in the same way.
func (s *Screens) words(r *http.Request, loc string, f *fault.Error) string {
	if f.Code == flow.CodeFlowUnknown && len(r.Header["Cookie"]) == 0 {
		return s.Catalogue.Text(loc, "failure.no_cookie", nil)
	}
	return server.Words(s.Catalogue, loc, f)
}

// person returns the signed-in user, or the zero SignedIn without a session.
func (s *Screens) person(w http.ResponseWriter, r *http.Request) (SignedIn, error) {
	found, err := s.Actions.Session(w, r)
	if errors.Is(err, session.Required) {
		return SignedIn{}, nil
	}
	return personOf(found), err
}

func personOf(found session.Found) SignedIn {
	return SignedIn{ID: found.User.ID, Email: account.Display(found.User.Address), Name: found.User.Name}
}
