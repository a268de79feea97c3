package flow

import (
	"cmp"
	"strings"

	"portico/internal/audit"
	"portico/internal/factor"
)

// Proof is one of the proofs of a sign-in.
type Proof struct {
	Method   string // how the session began, "provider" or "trusted_browser"
	Provider string // the name of the provider, "" without one
}

// ProofsOf returns the proofs that the record of a sign-in or of a later proof has; none for
// other records.
func (f *reader) ProofsOf(r audit.Fact) []Proof {
	if r.Name != audit.SignedIn && r.Name != audit.ProofGiven || r.Detail == "" {
		return nil
	}
	return f.proofs(strings.Split(r.Detail, ","))
}

func (f *core) proofs(methods []string) []Proof {
	all := make([]Proof, 0, len(methods))
	for _, method := range methods {
		p := Proof{Method: method}
		if id, ok := strings.CutPrefix(method, byProvider); ok {
			p = Proof{Method: "provider", Provider: f.named(id)["provider"]}
		}
		all = append(all, p)
	}
	return all
}

// String returns the proof in words for operators. Users read it in their language.
func (p Proof) String() string {
	switch p.Method {
	case "mail":
		return "code or link from an email"
	case byOperatorLink:
		return "link from the operator"
	case string(factor.TOTP):
		return "authenticator app"
	}
	return cmp.Or(p.Provider, strings.ReplaceAll(p.Method, "_", " "))
}

// listed returns proofs as part of a sentence for operators.
func listed(proofs []Proof) string {
	words := make([]string, 0, len(proofs))
	for _, p := range proofs {
		words = append(words, p.String())
	}
	return strings.Join(words, " and ")
}
