package federation

import (
	"maps"
	"time"
)

// signedInAt returns when the user proved to the provider who they are, by the
// claim auth_time (OpenID Connect Core 2). The time is zero when the provider
// does not tell it, or tells no time in the past: such a sign-in may be days
// old, because a provider signs its users in again without a question.
func (p *provider) signedInAt(claims object) time.Time {
	at, ok := claims.instant("auth_time")
	now := p.clock.Now()
	switch {
	case !ok || at.After(now.Add(maxSkew)):
		return time.Time{}
	case at.After(now):
		return now // the provider's clock is a little ahead
	}
	return at
}

// provenAgain reports whether the sign-in answers the demand of an attempt for
// a new proof. The user has to give it after the attempt began.
func (a attempt) provenAgain(at time.Time) bool {
	return a.AskedAt != 0 && !at.IsZero() && !at.Before(time.Unix(a.AskedAt, 0).Add(-maxSkew))
}

// askAgain returns the parameters of an authorization request that asks for a
// new proof of the user, also of one who is signed in at the provider. A preset
// has its own when the provider does not take those of OpenID Connect Core
// 3.1.2.1. There max_age=0 means the same as prompt=login, and makes auth_time
// obligatory.
func (p *provider) askAgain(meta metadata) map[string]string {
	parameters := map[string]string{}
	maps.Copy(parameters, p.preset.parameters)
	if p.preset.askAgain != nil {
		maps.Copy(parameters, p.preset.askAgain)
		return parameters
	}
	parameters["max_age"] = "0"
	delete(parameters, "prompt")
	if !meta.noLoginPrompt {
		parameters["prompt"] = "login"
	}
	return parameters
}
