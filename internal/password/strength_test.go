package password

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// accepted returns the share of the passwords that Check accepts.
func accepted(t *testing.T, s *Service, passwords []string) float64 {
	t.Helper()
	n := 0
	for _, password := range passwords {
		if code, _ := check(t, s, password); code == "" {
			n++
		}
	}
	return float64(n) / float64(len(passwords))
}

// Rules about character classes produce a word, a number and a sign. Measured:
// 1.6 of 100 such passwords are accepted, all with one word that is on no list.
func TestStrength_DressedUpWords(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`Summer Winter Sommer Fruehling Herbst Berlin Hamburg
		Muenchen London Liverpool Arsenal Chelsea Thomas Michael Jennifer Andrea
		Schatzi Passwort Password Welcome Willkommen Hallo Dragon Monkey Princess
		Prinzessin Schalke Fussball Football Baseball Sunshine Sonnenschein Charlie
		Ferrari Porsche Mercedes Monday Montag January Januar December Admin Test
		Qwertz Qwerty Chocolate Schokolade Freedom Freiheit Computer Internet Secret
		Geheim Banana Orange Purple Diamond Cookie Samsung Google Facebook Pokemon
		Batman Superman Starwars`)
	endings := strings.Fields(`1! 123! 2024! 2025 2026! 2026!! 1985! 1985 99! 07! #1
		!1 123456! @123 @2024 1234! _2023 .2022 12! 69! 01.01. 2000#`)
	var passwords []string
	for _, word := range words {
		for _, ending := range endings {
			passwords = append(passwords, word+ending)
		}
	}
	share := accepted(t, newService(t, nil), passwords)
	t.Logf("%.1f of 100 let through", 100*share)
	if share > 0.02 {
		t.Errorf("%.1f of 100 are let through, want at most 2", 100*share)
	}
}

func TestStrength_RandomPasswords(t *testing.T) {
	t.Parallel()
	const lower = "abcdefghijklmnopqrstuvwxyz"
	const letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	s := newService(t, nil)
	random := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct {
		alphabet string
		length   int
		least    float64
	}{
		{lower, 8, 0.93},
		{letters, 8, 0.98},
		{letters, 10, 0.998},
		{lower, 15, 1},
		{letters, 16, 1},
	} {
		passwords := make([]string, 1000)
		for i := range passwords {
			b := make([]byte, test.length)
			for j := range b {
				b[j] = test.alphabet[random.IntN(len(test.alphabet))]
			}
			passwords[i] = string(b)
		}
		share := accepted(t, s, passwords)
		t.Logf("%d of %d characters: %.2f of 100 let through", test.length, len(test.alphabet), 100*share)
		if share < test.least {
			t.Errorf("%d of %d characters: %.2f of 100 let through, want %v", test.length, len(test.alphabet), 100*share, 100*test.least)
		}
	}
}
