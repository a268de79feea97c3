package federation

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// signedInAt returns the time of the user's last proof to the provider, from the
// claim auth_time (OpenID Connect Core 2). It returns zero if the claim is missing
// or not in the past. Such a sign-in may be days old, because a provider signs its
// users in again without a question.
func (p *provider) signedInAt(claims object) time.Time {
	if p.preset.tellsNoTime {
		return time.Time{} // Slack writes the time of the token
	}
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
	return a.AskedAt != 0 && Since(at, time.Unix(a.AskedAt, 0))
}

// Since reports whether a proof was given, according to a provider, after a time on our
// clock. The provider's clock may be behind. The time of a proof is zero if the provider
// does not tell it.
func Since(proof, ours time.Time) bool {
	return !proof.IsZero() && !proof.Before(ours.Add(-maxSkew))
}

// askAgain returns the parameters of an authorization request that asks for a
// new proof, even if the user is signed in at the provider. A preset has its own
// parameters if the provider does not accept the parameters of OpenID Connect Core
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

// strong reports whether the claims of an ID token have a value that the operator counts as
// a second factor: one of the list amr, or acr. Both are compared exactly, and an amr that
// is not a list of texts does not count (OpenID Connect Core 2).
func (p *provider) strong(claims object) bool {
	if slices.Contains(p.strongACR, claims.text("acr")) {
		return true
	}
	var methods []string
	if json.Unmarshal(claims["amr"], &methods) != nil {
		return false
	}
	return slices.ContainsFunc(methods, func(m string) bool { return slices.Contains(p.strongAMR, m) })
}
