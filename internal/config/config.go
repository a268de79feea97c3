package config

import (
	"net/netip"
	"net/url"
	"time"
)

// Config is the settings of an installation. It is read-only once loaded.
type Config struct {
	PublicURL   *url.URL // scheme and host; nil when not set
	Listen      string   // host:port of the public listener
	OpsListen   string   // host:port of the operations listener
	DatabaseURL string   // sqlite:PATH or postgres://...
	SecretFile  string
	Upstream    *url.URL // nil when there is no app behind the door by this setting
	Rules       []string // of the app at Upstream
	Headers     []string // of the app at Upstream

	UpstreamTimeout time.Duration // as App.Timeout, of the app at Upstream
	UpstreamSilence time.Duration // as App.Silence
	UpstreamUploads Uploads       // as App.Uploads
	OnUserChange    string        // as App.OnUserChange
	KeepCookies     []string      // as App.KeepCookies
	SignOutURL      string        // as App.SignOutURL
	Apps            []App         // as [[app]] of the file says; Served has them all
	TrustedProxies  []netip.Prefix
	SMTPURL         string // "" when not set
	MailFrom        string
	ReturnOrigins   []string // "https://app.example.com", "https://*.apps.example.com"
	ReturnDefault   string   // "" leaves it to the product
	Locale          string
	HSTSSubdomains  bool
	Brand           Brand
	SignUp          SignUp
	Password        Password
	Hashing         Hashing
	Session         Session
	Log             Log
	Tracing         Tracing
	Providers       []Provider // in the order of the file, then of the environment

	sources map[string]string // key -> where its value came from
	broken  map[string]bool   // keys with a Problem
	unread  bool              // whether there is a file that could not be read
	inFile  []string          // keys of which the file holds a secret
	open    string            // the file, when every user of the machine can read it
}

// Brand is what the screens and mails show of the operator.
type Brand struct {
	Name string
	Logo string // path of an image file, "" for the word logo
}

// SignUp says whether people may register.
type SignUp struct {
	Enabled bool
	Name    string // whether the form asks for a name: "off", "optional" or "required"
}

// Password is the rule for new passwords, and who chooses the cost of a hash.
type Password struct {
	Profile          string // "standard" or "nist"
	Min              int    // code points; 0 leaves it to the profile
	Hash             string // "fixed": as Hashing says; "auto": the strongest that the machine bears
	SignInsPerSecond int    // that it must bear, for "auto"
}

// Hashing is the work that a password hash takes and how much of it is
// admitted.
type Hashing struct {
	MemoryMiB int
	Passes    int
	Slots     int // hashes at a time; 0: one for each core
	Queue     int // hashes that may wait; 0 leaves it to the product
}

// Session is how long a browser stays signed in.
type Session struct {
	Idle     time.Duration
	Absolute time.Duration
}

// Log is how the log is written.
type Log struct {
	Level  string // "debug", "info", "warn" or "error"
	Format string // "json" or "text"
}

// Tracing is where traces go.
type Tracing struct {
	Endpoint    *url.URL // of the collector; nil: nothing is traced
	Header      string   // "Name: value" that it asks for, "" for none
	SampleRatio float64  // of the traces that begin here, 0 to 1
}

// Provider is an external identity provider.
type Provider struct {
	ID           string // in its URLs: /auth/provider/{id}/callback
	Preset       string // what is known about it: "google", or "openid" for none
	Issuer       string // "" where the preset knows it
	Name         string // on the button; "" where the preset knows it
	ClientID     string
	ClientSecret string
	TeamID       string // Apple: in place of the secret, what it is made of
	KeyID        string
	PrivateKey   string // PEM
	TrustEmail   bool   // whether its verified addresses count as proven to us
}

// Uploads says how request bodies get to an app.
type Uploads struct {
	Pace      int           // least bytes a second; 0: any
	Wait      time.Duration // for a client that is slower
	BufferKiB int           // of a body before the app is asked
}

// App is a web app behind the door.
type App struct {
	Name     string
	Host     string        // host[:port] as browsers send it; "" for that of the public URL
	Path     string        // what is below it belongs to the app: "/" or "/shop"
	Upstream *url.URL      // nil when another proxy forwards, and asks /auth/api/check
	Audience string        // of its tokens; "" for the name
	Rules    []string      // who may pass, in order; none: everybody who is signed in
	Headers  []string      // "Remote-User: email", beside X-Portico-...
	Timeout  time.Duration // until an answer begins
	Silence  time.Duration // for which it may answer nothing at all while requests wait
	Uploads  Uploads

	OnUserChange string   // what becomes of its cookies when another account uses the browser: OnUserChange...
	KeepCookies  []string // names of those that stay
	SignOutURL   string   // path, for SignOutAtApp

	Key string // under which its settings are known to Source: "app.1"; "" for Upstream
}

// Default returns the settings of an installation that sets none.
func Default() Config {
	return Config{
		Listen:          "127.0.0.1:8080",
		OpsListen:       "127.0.0.1:9080",
		DatabaseURL:     "sqlite:portico-data/portico.db",
		SecretFile:      "portico-data/secret.key",
		Locale:          "en",
		HSTSSubdomains:  true,
		UpstreamTimeout: defaultTimeout,
		UpstreamSilence: defaultSilence,
		UpstreamUploads: defaultUploads(),
		OnUserChange:    ClearCookies,
		Brand:           Brand{Name: "Portico"},
		SignUp:          SignUp{Enabled: true, Name: "off"},
		Password:        Password{Profile: "standard", Hash: "fixed", SignInsPerSecond: 10},
		Hashing:         Hashing{MemoryMiB: 19, Passes: 2},
		Session:         Session{Idle: 7 * day, Absolute: 30 * day},
		Log:             Log{Level: "info", Format: "json"},
		Tracing:         Tracing{SampleRatio: 1},
		sources:         map[string]string{},
		broken:          map[string]bool{},
	}
}

// provider returns the provider of an id, added when there is none.
func (c *Config) provider(id string) *Provider {
	for i := range c.Providers {
		if c.Providers[i].ID == id {
			return &c.Providers[i]
		}
	}
	c.Providers = append(c.Providers, Provider{ID: id})
	return &c.Providers[len(c.Providers)-1]
}
