package app

import (
	"net/url"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/origin"
	"portico/internal/signature"
	"portico/internal/signupask"
)

// takeSignUpAsk builds what asks the app about sign-ups, if the settings name it.
func (p *parts) takeSignUpAsk(r *config.Report, c clock.Clock) error {
	s := p.config.SignUp
	made := signupask.Config{URL: s.Ask, Open: s.AskFailure == "open", Clock: c, Keys: signingKeys(r, "signup.ask_secret", s.AskSecret, s.AskSecretNext)}
	if s.Ask == "" {
		return nil
	}
	client, err := p.asker(s.Ask, s.AskPrivate, signupask.Timeout, signupask.MostBytes)
	if made.Client = client; err == nil {
		p.admits = &made
	}
	return err
}

// makeSignUpAsk returns what asks the app, or nil. It goes on with the questions and counts of before.
func (a *App) makeSignUpAsk(p parts, before *live) *signupask.Keeper {
	if p.admits == nil {
		return nil
	}
	made := *p.admits
	made.Log = a.log
	return signupask.New(made, before.signUpAsk)
}

// asker returns a client for questions to one address.
func (p *parts) asker(address string, private bool, timeout time.Duration, most int64) (*egress.Client, error) {
	way, err := Outgoing(p.config)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(address); err == nil && private {
		way.Allow = []string{origin.Of(u)}
	}
	way.Timeout, way.MaxBytes = timeout, most
	return egress.New(way)
}

// signingKeys returns the keys of a setting and of the one with the suffix _next.
func signingKeys(r *config.Report, key, secret, next string) (keys []signature.Key) {
	for _, given := range [][2]string{{key, secret}, {key + "_next", next}} {
		parsed, err := signature.ParseKey(given[1])
		if err == nil {
			keys = append(keys, parsed)
		} else if given[1] != "" {
			r.Add(given[0], "it is not a secret of Standard Webhooks", "write whsec_ and 24 to 64 bytes in base64, as echo whsec_$(openssl rand -base64 32) prints them")
		}
	}
	return keys
}
