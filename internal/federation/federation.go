package federation

import (
	"context"
	"errors"
	"net/url"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/fault"
)

// finishTime limits Finish as a whole. The egress client limits each request.
const finishTime = 10 * time.Second

// Config holds what a Service needs.
type Config struct {
	Providers []ProviderConfig // in the order of their buttons
	// Client must allow the origins that Origins returns.
	Client *egress.Client
	Clock  clock.Clock
	// RedirectURL returns the callback address of a provider: absolute, and
	// different for each id (RFC 9700 4.4.2).
	RedirectURL func(id string) string
}

// Service knows the configured providers. It is safe for concurrent use.
type Service struct {
	list      []Provider
	providers map[string]*provider
}

// Provider is the data of a button. Icon is the name of a preset.
type Provider struct {
	ID   string
	Name string
	Icon string

	// TellsNoTime is whether the provider never tells when its user signed in.
	TellsNoTime bool

	// Strong is whether the operator believes what the provider says about second factors.
	Strong bool

	// Vouches is whether the operator believes what the provider says about addresses.
	Vouches bool
}

// Begun is what Begin returns.
type Begun struct {
	// URL is where the browser goes.
	URL string
	// Pending is what Finish needs. It holds secrets. The caller seals it, never
	// sends it to the browser, and passes it to Finish at most once.
	Pending []byte
}

// Identity is a user of a provider. Issuer and Subject together are the key and
// never change. Everything else can change from one sign-in to the next.
type Identity struct {
	Provider string // the configured id
	Issuer   string
	Subject  string // 1 to 255 printable ASCII characters
	// Email is as the provider spells it, at most 320 bytes and otherwise
	// unchecked; "" when the provider gives none.
	Email         string
	EmailVerified bool   // see the package's invariants
	Name          string // at most 100 characters, no control characters; may be ""

	// SignedInAt is when the user last gave a proof to the provider. It is zero
	// when the provider does not say so.
	SignedInAt time.Time
	// StrongAt is SignedInAt for a user who gave the provider a second factor, as
	// ProviderConfig says. Else it is zero.
	StrongAt time.Time
	// Roles are those that the claim of the user gives, by ProviderConfig.Roles. Sorted.
	Roles []string
	// ProvenAgain says that the user gave a new proof as BeginAgain asked for.
	ProvenAgain bool
}

// New returns a Service, or an error that lists every mistake in the
// configuration. It sends no request.
func New(cfg Config) (*Service, error) { return newService(cfg, presets()) }

func newService(cfg Config, table map[string]preset) (*Service, error) {
	s := &Service{providers: make(map[string]*provider)}
	var mistakes []error
	for _, pc := range cfg.Providers {
		p, err := newProvider(pc, cfg, table)
		if err == nil && s.providers[p.ID] != nil {
			err = Mistake{pc.ID, "id", "is used twice", "give each provider its own"}
		}
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		s.providers[p.ID] = p
		s.list = append(s.list, p.Provider)
	}
	return s, errors.Join(mistakes...)
}

// List returns the providers in the configured order. The caller must not
// change the slice.
func (s *Service) List() []Provider { return s.list }

// OfIssuer returns the provider whose identities have an issuer, and the issuer as they have it: another
// system may have written it with a slash more or less.
func (s *Service) OfIssuer(issuer string) (id, exact string, ok bool) {
	for _, each := range s.list {
		if exact, ok := s.providers[each.ID].issues(issuer); ok {
			return each.ID, exact, true
		}
	}
	return "", "", false
}

// Issues reports whether a provider makes identities of an issuer. By other settings the same id is another provider.
func (s *Service) Issues(id, issuer string) bool {
	p := s.providers[id]
	if p == nil {
		return false
	}
	_, ok := p.issues(issuer)
	return ok
}

// RolesOf returns the roles that the sign-ins of a provider give and take.
func (s *Service) RolesOf(id string) (roles []string) {
	if p := s.providers[id]; p != nil {
		for _, m := range p.roles {
			roles = append(roles, m.Role)
		}
	}
	return roles
}

// Begin starts an attempt at the provider. The callback brings the state back, so that the
// caller finds its attempt. The state is an identifier, not a secret (RFC 6749 4.1.1).
//
// Faults: CodeUnknown, CodeUnavailable, CodeRejected.
func (s *Service) Begin(ctx context.Context, id, state string) (Begun, error) {
	return s.begin(ctx, id, state, false)
}

// BeginAgain is Begin for a user who must give a new proof, also when they are
// still signed in at the provider. Identity.ProvenAgain tells whether they did.
//
// Faults: the faults of Begin; CodeNoProof for a provider that can never tell.
func (s *Service) BeginAgain(ctx context.Context, id, state string) (Begun, error) {
	return s.begin(ctx, id, state, true)
}

func (s *Service) begin(ctx context.Context, id, state string, again bool) (Begun, error) {
	p, ok := s.providers[id]
	if !ok {
		return Begun{}, fault.New(fault.Missing, CodeUnknown)
	}
	begun, err := p.begin(ctx, state, again)
	return begun, p.fault(err)
}

// Finish ends the attempt that Begin returned as pending. The callback is the
// query, or the form of a provider that posts. Finish asks the provider who has
// signed in.
//
// Faults: CodeUnknown, CodeCancelled, CodeUnavailable, CodeRejected. After each
// of them the attempt has ended; a new one may succeed.
func (s *Service) Finish(ctx context.Context, id string, pending []byte, callback url.Values) (Identity, error) {
	p, ok := s.providers[id]
	if !ok {
		return Identity{}, fault.New(fault.Missing, CodeUnknown)
	}
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	identity, err := p.finish(ctx, pending, callback)
	if err != nil {
		return Identity{}, p.fault(err)
	}
	return identity, nil
}

// Check loads the provider's discovery document and keys. It reports false for a
// provider that publishes neither. The error is for the operator.
func (s *Service) Check(ctx context.Context, id string) (publishes bool, err error) {
	p, ok := s.providers[id]
	if !ok {
		return false, fault.New(fault.Missing, CodeUnknown)
	}
	if p.preset.fixed != nil {
		return false, nil
	}
	_, err = p.keys.Current(ctx)
	return true, err
}
