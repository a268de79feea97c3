package config

import (
	"net/netip"
	"net/url"
	"time"
)

// Config is the settings of an installation. Load returns it, and nothing
// changes it afterwards, so it is safe for concurrent use.
type Config struct {
	PublicURL   *url.URL // scheme and host; nil when not set
	Listen      string   // host:port of the public listener
	OpsListen   string   // host:port of the operations listener
	DatabaseURL string   // sqlite:PATH or postgres://...
	SecretFile  string
	SecretNext  string

	// App has the settings of an app at the top of the file. There is none if its
	// Upstream is nil.
	App            App
	Apps           []App    // the [[app]] tables; Served returns all apps
	Clients        []Client // the [[client]] tables
	Webhooks       []Webhook
	TrustedProxies []netip.Prefix
	SMTPURL        string // "" when not set
	MailFrom       string
	DKIMSelector   string   // "" when it is not known
	MailReplyTo    string   // "" when replies are not read
	ReturnOrigins  []string // "https://app.example.com", "https://*.apps.example.com"
	ReturnDefault  string   // "" for the product's default
	Locale         string
	Texts          string // folder of the operator's texts; "" for none
	Places         string // file with the places of networks; "" for none
	HSTSSubdomains bool
	Brand          Brand
	Legal          Legal
	SignIn         SignIn
	SignUp         SignUp
	Passkeys       bool           // whether users may sign in with passkeys
	Admin          bool           // whether the admin page and its API answer
	FirstAdmin     string         // address of the admin of an empty installation; "" for none
	AdminNetworks  []netip.Prefix // from which they answer; nil for all
	OpenID         OpenID
	PasskeyOrigins []string // other origins that may use the passkeys: "https://example.net"
	Profile        string   // "standard", or "nist" for NIST SP 800-63B-4, AAL2
	MFA            MFA
	Audit          Audit
	Password       Password
	Hashing        Hashing
	Session        Session
	Log            Log
	Tracing        Tracing
	TLS            TLS
	HTTPSProxy     string     // of the variable of that name, for requests to servers of others; "" for none
	NoProxy        string     // as well
	Providers      []Provider // in the order of the file, then of the environment

	sources map[string]string // key -> where its value comes from
	broken  map[string]bool   // keys with a Problem
	unread  bool              // whether the file exists and could not be read
	held    []held            // secrets that files have
}

// Brand is how screens and emails look. Package brand checks the colors and reads
// the files.
type Brand struct {
	Name     string
	Colour   string   // "#rrggbb"; "" for the default
	Gradient []string // two colors; nil for the default, or tones of Colour
	Radius   int      // in pixels
	Scheme   string   // "light", "dark" or "auto"

	// paths of files; "" for none
	Logo     string // shown in place of the name
	LogoDark string // the logo on dark ground
	Favicon  string
	Font     string
}

// Legal has the addresses of the legal pages, "" for none. Every page and every
// email links to them. Users accept the terms.
type Legal struct {
	Imprint string
	Privacy string

	Terms        string
	TermsVersion string // "" without terms
}

// Audit is about the audit records.
type Audit struct {
	Keep time.Duration // how long they are kept
}

// MFA says who needs a second factor, and whether browsers can be trusted.
type MFA struct {
	Trust   bool          // whether users may trust a browser
	Require []string      // who needs one: "all", or "role:" with a role; empty for no user
	Grace   time.Duration // how long a user who has none may put it off
}

// RequireAll is the entry of MFA.Require for every user.
const RequireAll = "all"

// SignIn says how users may sign in.
type SignIn struct {
	Code   bool   // by an emailed code
	Legacy string // the address of the former system that is asked about passwords; "" for none

	LegacySecret     string // in the form of Standard Webhooks
	LegacySecretNext string // a second one, while the secret is changed; "" for none
	LegacyUntil      string // the last day, in UTC
	LegacyPrivate    bool   // whether the address may be private, and http
}

// LegacyEnds returns when the former system is not asked anymore.
func (s SignIn) LegacyEnds() time.Time {
	day, _ := time.Parse(time.DateOnly, s.LegacyUntil) // it was checked
	return day.AddDate(0, 0, 1)
}

// SignUp says who may sign up, and what the form asks for.
type SignUp struct {
	Mode    string   // a flow.SignUpMode
	Domains []string // the only domains of addresses; empty: all
	Name    string   // whether the form asks for a name: "off", "optional" or "required"

	Ask           string // the address of the app that is asked about each sign-up; "" for none
	AskSecret     string // in the form of Standard Webhooks
	AskSecretNext string // a second one, while the secret is changed; "" for none
	AskFailure    string // what an app that does not answer means: "closed" or "open"
	AskPrivate    bool   // whether the address may be private, and http
}

// Password is the rule for new passwords, and how the cost of a hash is chosen.
type Password struct {
	Profile          string // "standard" or "nist"
	Min              int    // in code points; 0 for the profile's minimum
	Hash             string // "fixed": the values of Hashing; "auto": the strongest that the machine sustains
	SignInsPerSecond int    // the rate that a node must sustain, for "auto"
}

// Hashing is the cost of a password hash and the number of hashes that may run
// or wait.
type Hashing struct {
	MemoryMiB int
	Passes    int
	Slots     int // concurrent hashes; 0: one per core
	Queue     int // hashes that may wait; 0 for the product's default
}

// Session is how long a browser stays signed in.
type Session struct {
	Idle     time.Duration
	Absolute time.Duration
}

// Log is the level and format of the log.
type Log struct {
	Level  string // "debug", "info", "warn" or "error"
	Format string // "json" or "text"
}

// Tracing is where traces are sent.
type Tracing struct {
	Endpoint    *url.URL // of the collector; nil turns tracing off
	Header      string   // "Name: value" that the collector requires; "" for none
	SampleRatio float64  // share of the traces started here, 0 to 1
}

// TLS says how Portico itself terminates TLS, and which authorities it trusts. The zero
// value leaves TLS to a proxy.
type TLS struct {
	CertFile   string
	KeyFile    string
	CAFile     string // authorities for TLS to others, in addition to the system's; "" for none
	ACME       bool
	Directory  *url.URL // of the ACME authority
	Email      string   // for the authority
	HTTPListen string   // of the listener that redirects to https; "off" for none
}

// On reports whether Portico terminates TLS.
func (t TLS) On() bool { return t.ACME || t.CertFile != "" || t.KeyFile != "" }

// Off is the value of tls.http_listen for no listener.
const Off = "off"

// Provider is an external identity provider.
type Provider struct {
	ID           string // in its URLs: /auth/provider/{id}/callback
	Preset       string // what Portico knows about it: "google", or "openid" for nothing
	Issuer       string // "" if the preset has one
	Name         string // on the button; "" if the preset has one
	ClientID     string
	ClientSecret string
	TeamID       string // Apple: with KeyID and PrivateKey, replaces the secret
	KeyID        string
	PrivateKey   string // PEM
	TrustEmail   bool   // whether its verified addresses count as proven
	Icon         string // path of a picture on the button; "" for the preset's

	// The values of amr and acr in its ID tokens that count as a second factor.
	MFAAMR []string
	MFAACR []string

	Audiences []string // other audiences that its ID tokens may have

	Scopes []string // that are requested; none for those of the preset

	RolesClaim string        // the claim that gives Roles; "" for groups
	Roles      []RoleMapping // what its users get and lose at each sign-in through it
}

// Uploads says how request bodies reach an app.
type Uploads struct {
	Pace      int           // minimum bytes per second; 0 for any
	Wait      time.Duration // how far a client may fall behind the pace
	BufferKiB int           // how much of a body is buffered before the app is called
}

// App is a web app that the gateway protects.
type App struct {
	Name     string
	Host     string   // host[:port] as browsers send it; "" for the host of PublicURL
	Path     string   // the app owns all paths below it: "/" or "/shop"
	Upstream *url.URL // nil when another proxy forwards and asks /auth/api/check
	Audience string   // of the app's tokens; "" for Name
	Rules    []string // access rules in order; empty: every signed-in user
	Paths    string   // StrictPaths or PathsAsSent
	Headers  []string // "Remote-User: email", in addition to X-Portico-...

	AccessTokens   bool // whether the app takes access tokens
	PersonalTokens bool // whether it takes personal access tokens

	ExtraClaims []string // of its tokens: "name=claim.PATH" or "name='text'"
	Uploads     Uploads

	UpstreamTimeout time.Duration // until the response begins
	UpstreamSilence time.Duration // time without any response while requests wait

	OnUserChange string   // ClearCookies, SignOutAtApp or IgnoreChanges
	KeepCookies  []string // cookie names that ClearCookies keeps
	SignOutURL   string   // path, for SignOutAtApp

	Key string // prefix of its settings for Source: "app.1"; "" at the top of the file
}

// OpenID says which OpenID clients are allowed in addition to the operator's.
type OpenID struct {
	Registration    bool     // whether a client may register itself, with an initial token
	ClientDocuments bool     // whether a client may describe itself at the address that is its id
	ClientOrigins   []string // the only origins of such clients; empty: all
}

// Client is an app that signs its users in by OpenID Connect.
type Client struct {
	ID            string
	Secret        string   // "" if there is none, or only its hash
	SecretHash    string   // SHA-256 in hexadecimal
	SecretNext    string   // a second one that also works, while the secret is changed; "" for none
	NextHash      string   // its SHA-256, in place of it
	Keys          string   // public keys in place of a secret: a JWK Set
	KeysURI       string   // where the client publishes them
	Public        bool     // has no secret: it runs in a browser or on a user's device
	RedirectURIs  []string // exact
	Scopes        []string // which it may ask for
	IDTokenClaims []string // also in the ID token
	ExtraClaims   []string // "name=claim" or "name='text'"
	IDTokenAlg    string   // of the signature: "ES256", "RS256" or "EdDSA"
	PKCE          bool     // whether every request needs a code challenge
	RequirePAR    bool     // whether every request must be pushed
	DPoP          bool     // whether it must prove at each request that it has a key
	LogoutReturns []string // exact; where the browser may go after signing out
	LogoutURI     string   // is told about ended sessions; "" for none
	Name          string   // on pages and in emails; "" for the id
	Consent       bool     // whether its users are asked
	Rules         []string // who may use it; empty: every user
	Grants        []string // how it may get tokens; empty: by signing users in
	OwnScopes     []string // of the tokens for itself
	Resources     []string // that its access tokens may be for
	Subject       string   // what it calls a user: "portico" or "imported"
	AccessToken   string   // the form of its access tokens: "opaque" or "jwt"
	Serves        []string // the resources whose tokens it may inspect

	Key string // prefix of its settings for Source: "client.1"
}

// Default returns the settings of an installation that sets none.
func Default() Config {
	root := newApp("")
	root.Name = "app"
	return Config{
		Listen:         "127.0.0.1:8080",
		OpsListen:      "127.0.0.1:9080",
		DatabaseURL:    "sqlite:portico-data/portico.db",
		SecretFile:     "portico-data/secret.key",
		Locale:         "en",
		HSTSSubdomains: true,
		App:            root,
		Brand:          Brand{Name: "Portico", Radius: 10, Scheme: "light"},
		SignUp:         SignUp{Mode: "open", Name: "off", AskFailure: "closed"},
		Profile:        "standard",
		Passkeys:       true,
		Admin:          true,
		MFA:            MFA{Trust: true, Grace: 14 * day},
		Audit:          Audit{Keep: 400 * day},
		Password:       Password{Profile: "standard", Hash: "fixed", SignInsPerSecond: 10},
		Hashing:        Hashing{MemoryMiB: 19, Passes: 2},
		Session:        Session{Idle: 7 * day, Absolute: 30 * day},
		Log:            Log{Level: "info", Format: "json"},
		Tracing:        Tracing{SampleRatio: 1},
		TLS:            TLS{Directory: &url.URL{Scheme: "https", Host: "acme-v02.api.letsencrypt.org", Path: "/directory"}, HTTPListen: ":80"},
		sources:        map[string]string{},
		broken:         map[string]bool{},
	}
}

// provider returns the provider with an id. It adds one if there is none.
func (c *Config) provider(id string) *Provider {
	for i := range c.Providers {
		if c.Providers[i].ID == id {
			return &c.Providers[i]
		}
	}
	c.Providers = append(c.Providers, Provider{ID: id})
	return &c.Providers[len(c.Providers)-1]
}
