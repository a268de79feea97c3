package flow

import (
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// The numbers of NIST SP 800-63B-4 for AAL2 that no setting changes. TestLoad_NIST of
// package config has the others.
func TestNIST(t *testing.T) {
	t.Parallel()
	const bits = 8
	key, _ := secret.Decode(secret.Token())
	recovery, _ := factor.ParseCode(factor.NewCodes()[0])
	for _, n := range []struct {
		section          string
		got, least, most int
	}{
		{"3.1.3.2: minutes of an emailed code", int(CodeLife / time.Minute), 1, 10},
		{"3.1.3.2: digits of an emailed code", code.Length, 6, 10},
		{"3.1.3.2: guesses of an address in a row", codeRow.Count, 1, 100},
		{"3.1.3.2: guesses of a flow, over all its emails", codeFlow.Count, 1, 5},
		{"3.1.4: bits of an app's key", len(factor.NewSecret()) * bits, 112, 512},
		{"3.1.4: digits of an app's code", len(factor.NewSecret().At(time.Unix(0, 0))), 6, 10},
		{"3.1.4, 3.2.2: guesses of a second factor in a row", factorLadder.Count, 1, 100},
		{"3.1.6.2: bits of a challenge", len(key) * bits, 64, 512},
		{"3.1.6.2: minutes of a challenge", int(passkey.Life / time.Minute), 1, 10},
		{"3.2.2: wrong passwords in a row", passwordLadder.Count, 1, 100},
		{"3.2.2: seconds of the first wait", int(passwordLadder.FirstWait / time.Second), 30, 3600},
		{"3.2.2: seconds of the longest wait", int(passwordLadder.LastWait / time.Second), 30, 3600},
		{"4.2.1.1: bits of a recovery code", len(recovery) * 5, 64, 512},
		{"5.1: bits of a session token", len(key) * bits, 64, 512},
		{"ASVS 7.5.1: minutes of a proof", int(proofLife / time.Minute), 1, 10},
	} {
		if n.got < n.least || n.got > n.most {
			t.Errorf("%s: %d, want %d to %d", n.section, n.got, n.least, n.most)
		}
	}
	for _, l := range []throttle.Limit{passwordLadder, factorLadder, codeRow} {
		if l.Window < 30*24*time.Hour {
			t.Errorf("%s forgets after %v", l.Name, l.Window)
		}
	}
}
