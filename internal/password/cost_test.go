package password

import (
	"encoding/hex"
	"testing"

	"portico/internal/password/argon2"
)

// The test vectors of the reference implementation (phc-winner-argon2, test.c).
func TestDerive_Vectors(t *testing.T) {
	t.Parallel()
	arena := argon2.NewArena()
	for _, test := range []struct {
		text, salt string
		cost       Cost
		want       string
	}{
		{"password", "somesalt", Cost{Memory: 65536, Passes: 2}, "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
		{"password", "somesalt", Cost{Memory: 256, Passes: 2}, "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"},
		{"password", "somesalt", Cost{Memory: 65536, Passes: 1}, "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"},
		{"password", "somesalt", Cost{Memory: 65536, Passes: 4}, "9025d48e68ef7395cca9079da4c4ec3affb3c8911fe4f86d1a2520856f63172c"},
		{"differentpassword", "somesalt", Cost{Memory: 65536, Passes: 2}, "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"},
		{"password", "diffsalt", Cost{Memory: 65536, Passes: 2}, "bdf32b05ccc42eb15d58fd19b1f856b113da1e9a5874fdcc544308565aa8141c"},
	} {
		tag, err := derive(arena, test.text, []byte(test.salt), test.cost)
		if got := hex.EncodeToString(tag); err != nil || got != test.want {
			t.Errorf("derive(%s, %s, %v) = %s, %v, want %s", test.text, test.salt, test.cost, got, err, test.want)
		}
	}
}
