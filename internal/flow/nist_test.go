package flow

import (
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/throttle"
)

// The numbers of NIST SP 800-63B-4 for AAL2 that no setting changes. TestNIST of
// package app has the others, as an installation with the profile has them.
// TestNIST_Addresses and TestNIST_Link look at an account.
func TestNIST(t *testing.T) {
	t.Parallel()
	const bits, base32 = 8, 5
	guesses := factorRow.Count + factorKnown.Count // in all browsers
	recovery, _ := factor.ParseCode(factor.NewCodes()[0])
	for _, n := range []struct {
		section          string
		got, least, most int
	}{
		{"3.1.2.2, 3.2.2: guesses of a recovery code in a row", guesses, 1, 100},
		{"3.1.3.2: minutes of an emailed code", int(CodeLife / time.Minute), 1, 10},
		{"3.1.3.2: digits of an emailed code", code.Length, 6, 10},
		{"3.1.3.2: guesses of an address in a row, in unknown browsers", codeRow.Count, 1, 100},
		{"3.1.3.2: guesses of a flow, over all its emails", codeFlow.Count, 1, 5},
		{"3.1.4: bits of an app's key", len(factor.NewSecret()) * bits, 112, 512},
		{"3.1.4: digits of an app's code", factor.Digits, 6, 10},
		{"3.1.4: digits that an app shows", len(factor.NewSecret().At(time.Unix(0, 0))), factor.Digits, factor.Digits},
		{"3.1.4: seconds until an app's code changes", factor.Period, 1, 120},
		{"3.1.4, 3.2.2: guesses of a second factor in a row", guesses, 1, 100},
		{"3.1.6.2: random bits of a challenge", passkey.NonceSize * bits, 64, 512},
		{"3.1.6.2: minutes of a challenge", int(passkey.Life / time.Minute), 1, 10},
		{"3.2.2: wrong passwords in a row, in unknown browsers", passwordLadder.Count, 1, 100},
		{"3.2.2: seconds of the first wait", int(passwordLadder.FirstWait / time.Second), 30, 3600},
		{"3.2.2: seconds of the longest wait", int(passwordLadder.LastWait / time.Second), 30, 3600},
		{"3.2.2: seconds of the first wait for a factor", int(factorLadder.FirstWait / time.Second), 30, 3600},
		{"3.2.2: seconds of the longest wait for a factor", int(factorLadder.LastWait / time.Second), 30, 3600},
		{"4.1.2.1: authenticator apps of an account", factor.Most, 2, 100},
		{"4.1.2.1: passkeys of an account", passkey.Most, 2, 100},
		{"3.1.2.2, 4.2.1.1: bits of a recovery code, without those that select its row", (len(recovery) - factor.SelectorLength) * base32, 64, 512},
		{"4.2.1.1: recovery codes of a set", len(factor.NewCodes()), factor.Codes, factor.Codes},
		{"4.2.1.2: digits of a code that recovers an account", code.Length, 6, 10},
		{"4.2.1.2: hours of a code that recovers an account", int((CodeLife + time.Hour - 1) / time.Hour), 1, 24},
		{"4.2.1.2: hours of the link that is emailed to imported people", int(code.WelcomeLife / time.Hour), 1, 24},
		{"4.2.1.2: hours of an operator's link", int((code.HandedLife + time.Hour - 1) / time.Hour), 1, 24},
		{"ASVS 7.5.1: minutes of a proof", int(proofLife / time.Minute), 1, 10},
	} {
		if n.got < n.least || n.got > n.most {
			t.Errorf("%s: %d, want %d to %d", n.section, n.got, n.least, n.most)
		}
	}
	for _, l := range []throttle.Limit{passwordLadder, passwordKnown, factorRow, factorLadder, factorKnown, codeRow, codeKnownRow} {
		if l.Window < 30*24*time.Hour || l.Free == 0 { // without Free it counts from the first attempt
			t.Errorf("%s forgets %v after an attempt, free %d", l.Name, l.Window, l.Free)
		}
	}
}
