package secret

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// SEC-041: digits have no bias, including leading zeros. Chance exceeds 60 once
// in 10^9 runs. The bias of a random byte modulo 10 gives 200 and more over all
// positions.
func TestDigits_NoBias(t *testing.T) {
	t.Parallel()
	const codes, length, critical = 100_000, 6, 60.0
	var counts [length][10]float64
	for range codes {
		code := Digits(length)
		if len(code) != length {
			t.Fatalf("%q has not %d digits", code, length)
		}
		for position, digit := range []byte(code) {
			counts[position][digit-'0']++
		}
	}
	var all [10]float64
	for position, count := range counts {
		if chi := chiSquare(count); chi > critical {
			t.Errorf("position %d: chi-square %.1f of %v", position, chi, count)
		}
		for digit := range count {
			all[digit] += count[digit]
		}
	}
	if chi := chiSquare(all); chi > critical {
		t.Errorf("all positions: chi-square %.1f of %v", chi, all)
	}
}

// chiSquare returns the distance of ten counts from an equal distribution.
func chiSquare(counts [10]float64) (chi float64) {
	total := 0.0
	for _, n := range counts {
		total += n
	}
	for _, n := range counts {
		chi += (n - total/10) * (n - total/10) / (total / 10)
	}
	return chi
}

// SEC-041: 20,000 tokens are all different, and each of their 256 bits is set
// in half of them (within seven standard deviations).
func TestToken_Quality(t *testing.T) {
	t.Parallel()
	const tokens = 20_000
	seen := make(map[string]bool, tokens)
	var set [256]int
	for range tokens {
		token := Token()
		if len(token) != TokenLength || !ValidToken(token) || seen[token] {
			t.Fatalf("%q is no token, or one that was there before", token)
		}
		seen[token] = true
		b, _ := base64.RawURLEncoding.DecodeString(token)
		for bit := range set {
			set[bit] += int(b[bit/8] >> (bit % 8) & 1)
		}
	}
	for bit, n := range set {
		if math.Abs(float64(n)-tokens/2) > 7*math.Sqrt(tokens)/2 {
			t.Errorf("bit %d is set in %d of %d tokens", bit, n, tokens)
		}
	}
}

func TestValidToken(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("A", TokenLength)
	for name, tt := range map[string]struct {
		token string
		want  bool
	}{
		"zeros":                   {good, true},
		"all characters":          {"-_" + good[2:], true},
		"empty":                   {"", false},
		"short":                   {good[1:], false},
		"long":                    {good + "A", false},
		"padded":                  {good + "=", false},
		"the other alphabet":      {"+/" + good[2:], false},
		"bits that mean nothing":  {good[1:] + "B", false}, // unused bits: a second spelling of the first
		"a line end":              {good[:42] + "\n", false},
		"line ends inside":        {good[:20] + "\r\n" + good[:21], false},
		"a full-width letter":     {good[3:] + "Ａ", false},
		"a null":                  {good[:42] + "\x00", false},
		"a blank":                 {" " + good[1:], false},
		"something for the shell": {"$(id)" + good[5:], false},
	} {
		if ValidToken(tt.token) != tt.want {
			t.Errorf("%s: %q, want %v", name, tt.token, tt.want)
		}
	}
}

func FuzzValidToken(f *testing.F) {
	f.Add(Token())
	f.Add("")
	f.Add(strings.Repeat("\n", TokenLength))
	f.Fuzz(func(t *testing.T, s string) {
		b, err := base64.RawURLEncoding.DecodeString(s)
		oneSpelling := err == nil && len(b) == tokenSize && base64.RawURLEncoding.EncodeToString(b) == s
		if ValidToken(s) != oneSpelling {
			t.Errorf("%q is valid: %v, want %v", s, ValidToken(s), oneSpelling)
		}
	})
}

func TestHash(t *testing.T) {
	t.Parallel()
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	if got := hex.EncodeToString(Hash("abc")); got != abc {
		t.Errorf("the hash is %s, want %s", got, abc)
	}
}
