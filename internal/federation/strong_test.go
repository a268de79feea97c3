package federation

import (
	"fmt"
	"testing"
	"time"
)

// Only the values that the operator has named count as a second factor, and only with
// the time of the proof.
func TestStrong(t *testing.T) {
	t.Parallel()
	b := setup(t, func(pc *ProviderConfig) { pc.StrongAMR, pc.StrongACR = []string{"mfa", "hwk"}, []string{"gold"} })
	plain := setup(t)
	at := fmt.Sprint(b.clock.Now().Add(-time.Hour).Unix())
	for _, c := range []struct {
		amr, acr, time string
		strong         bool
	}{
		{"", "", at, false},
		{`["pwd"]`, "", at, false},
		{`["pwd", "mfa"]`, "", at, true},
		{`["hwk"]`, `"silver"`, at, true},
		{"", `"gold"`, at, true},
		{"", `"gold"`, "", false},
		{`["mfa"]`, "", "", false},
		{`"mfa"`, "", at, false},
		{`["MFA"]`, "", at, false},
		{`["mfa "]`, "", at, false},
		{`["gold"]`, `"mfa"`, at, false},
		{`["mfa", 1]`, "", at, false},
		{`[["mfa"]]`, "", at, false},
		{`{"mfa": true}`, "", at, false},
		{`[""]`, `""`, at, false},
		{"null", `["gold"]`, at, false},
		{"", `"gold silver"`, at, false},
	} {
		for _, each := range []struct {
			*bench
			want bool
		}{{b, c.strong}, {plain, false}} {
			each.op.claims["amr"], each.op.claims["acr"], each.op.claims["auth_time"] = c.amr, c.acr, c.time
			got, err := each.signIn()
			if err != nil || got.StrongAt.IsZero() == each.want || each.want && !got.StrongAt.Equal(got.SignedInAt) {
				t.Errorf("amr %s, acr %s at %q: strong at %v (%v), want %v", c.amr, c.acr, c.time, got.StrongAt, err, each.want)
			}
		}
	}
}
