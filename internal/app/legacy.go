package app

import (
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/legacy"
)

const (
	legacyMost = 366 * 24 * time.Hour // that the former system may be asked
	legacyWarn = 14 * 24 * time.Hour  // before the end of it
)

// takeLegacy builds what asks the former system about passwords, if the settings have one.
func (p *parts) takeLegacy(r *config.Report, c clock.Clock) error {
	s := p.config.SignIn
	made := legacy.Config{URL: s.Legacy, Until: s.LegacyEnds(), Clock: c}
	if s.LegacyUntil != "" && made.Until.Sub(c.Now()) > legacyMost {
		r.Add("signin.legacy_until", "it is more than a year ahead", "write "+c.Now().UTC().AddDate(1, 0, 0).Format(time.DateOnly)+" or an earlier day")
	}
	made.Keys = signingKeys(r, "signin.legacy_secret", s.LegacySecret, s.LegacySecretNext)
	if s.Legacy == "" {
		return nil
	}
	client, err := p.asker(s.Legacy, s.LegacyPrivate, legacy.Timeout, legacy.MostBytes)
	if made.Client = client; err == nil {
		p.asked = &made
	}
	return err
}

// makeLegacy returns what asks the former system, or nil. It goes on with that of before if nothing about it has
// changed, so that no answer is lost by a reload.
func (a *App) makeLegacy(p parts, before *live) *legacy.Keeper {
	if p.asked == nil {
		return nil
	}
	if before.legacy != nil && p.config.SignIn == before.config.SignIn && p.config.TLS.CAFile == before.config.TLS.CAFile {
		return before.legacy
	}
	made := *p.asked
	made.Log = a.log
	return legacy.New(made, before.legacy)
}

// warnOfLegacy adds a warning if the former system is not asked anymore, or soon will not be.
func warnOfLegacy(cfg config.Config, r *config.Report, now time.Time) {
	s := cfg.SignIn
	left := s.LegacyEnds().Sub(now)
	switch {
	case s.Legacy == "" || left > legacyWarn:
	case left > 0:
		r.Add("signin.legacy_until", "the former system is asked for the last time on "+s.LegacyUntil, "email people without a password with 'portico user welcome', or write a later day")
	default:
		r.Add("signin.legacy_until", "the former system is not asked anymore since "+s.LegacyUntil, "remove signin.legacy with its other settings")
	}
}
