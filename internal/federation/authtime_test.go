package federation

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

// again goes the whole way of an attempt that asks for a new proof.
func (b *bench) again() (Identity, error) {
	b.t.Helper()
	begun, err := b.s.BeginAgain(b.t.Context(), "acme", flowID)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.s.Finish(b.t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL))
}

// The time of the proof is the provider's word, and nothing else is taken for it.
func TestAuthTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := b.clock.Now()
	ago := func(d time.Duration) string { return fmt.Sprint(now.Add(-d).Unix()) }
	for _, c := range []struct {
		name, claim string
		want        time.Time
		proven      bool
	}{
		{"none", "", time.Time{}, false},
		{"now", ago(0), now, true},
		{"a provider whose clock is slow", ago(maxSkew), now.Add(-maxSkew), true},
		{"a moment too early", ago(maxSkew + time.Second), now.Add(-maxSkew - time.Second), false},
		{"a day ago", ago(24 * time.Hour), now.Add(-24 * time.Hour), false},
		{"a provider whose clock is fast", ago(-maxSkew), now, true},
		{"in the future", ago(-maxSkew - time.Second), time.Time{}, false},
		{"the year 10000", "253402300800", time.Time{}, false},
		{"milliseconds", fmt.Sprint(now.UnixMilli()), time.Time{}, false},
		{"a fraction", ago(0) + ".0", now, true},
		{"an exponent", "1e3", time.Unix(1000, 0), false},
		{"a text", quote(ago(0)), time.Time{}, false},
		{"negative", "-1", time.Time{}, false},
		{"null", "null", time.Time{}, false},
		{"a list", "[" + ago(0) + "]", time.Time{}, false},
		{"too large", "1e400", time.Time{}, false},
	} {
		b.op.claims["auth_time"] = c.claim
		for _, again := range []bool{false, true} {
			run := b.signIn
			if again {
				run = b.again
			}
			got, err := run()
			if err != nil || !got.SignedInAt.Equal(c.want) || got.ProvenAgain != (again && c.proven) {
				t.Errorf("%s, asked again %v: signed in at %v, proven again %v, %v", c.name, again, got.SignedInAt, got.ProvenAgain, err)
			}
		}
	}
}

// A long way at the provider is no old proof, and a short one no new one.
func TestAuthTimeIsHeldAgainstTheBeginning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun, err := b.s.BeginAgain(t.Context(), "acme", flowID)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(2 * time.Minute)
	b.op.claims["auth_time"] = fmt.Sprint(b.clock.Now().Unix())
	b.clock.Advance(10 * time.Minute)
	if got, err := b.s.Finish(t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL)); err != nil || !got.ProvenAgain {
		t.Errorf("a proof of this attempt: got %+v, %v", got, err)
	}
	if got, err := b.again(); err != nil || got.ProvenAgain {
		t.Errorf("the proof of the attempt before: got %+v, %v", got, err)
	}
}

// BeginAgain asks each provider for a new proof with the right parameters.
func TestBeginAgain(t *testing.T) {
	t.Parallel()
	has := func(name string, members map[string]string, want map[string]string) {
		t.Helper()
		b := setup(t)
		for k, v := range members {
			b.op.members[k] = v
		}
		for again, expected := range map[bool]map[string]string{false: {}, true: want} {
			begin := b.s.Begin
			if again {
				begin = b.s.BeginAgain
			}
			begun, err := begin(t.Context(), "acme", flowID)
			if err != nil {
				t.Fatal(err)
			}
			u, _ := url.Parse(begun.URL)
			for _, parameter := range []string{"prompt", "max_age", "claims"} {
				if got := u.Query().Get(parameter); got != expected[parameter] {
					t.Errorf("%s, again %v: %s is %q, want %q", name, again, parameter, got, expected[parameter])
				}
			}
		}
	}
	has("any provider", nil, map[string]string{"prompt": "login", "max_age": "0"})
	has("with a list of prompts", map[string]string{"prompt_values_supported": `["none","login"]`}, map[string]string{"prompt": "login", "max_age": "0"})
	has("without that prompt", map[string]string{"prompt_values_supported": `["none","consent"]`}, map[string]string{"max_age": "0"})
}

// Each preset asks in the way of its provider, or says that it cannot.
func TestPresetsAskAgain(t *testing.T) {
	t.Parallel()
	wants := map[string]map[string]string{
		"openid":    {"prompt": "login", "max_age": "0"},
		"gitlab":    {"prompt": "login", "max_age": "0"},
		"microsoft": {"prompt": "login", "max_age": "0"},
		"google":    {"prompt": "select_account", "claims": `{"id_token":{"auth_time":{"essential":true}}}`},
		"apple":     {"response_mode": "form_post"},
		"github":    nil, "discord": nil, "facebook": nil, "linkedin": nil,
		"twitch": nil, "bitbucket": nil, "spotify": nil, "slack": nil, "gitea": nil, "forgejo": nil,
		"salesforce": {"prompt": "login", "max_age": "0"}, "okta": {"prompt": "login", "max_age": "0"}, "auth0": {"prompt": "login", "max_age": "0"},
		"keycloak": {"prompt": "login", "max_age": "0"}, "authentik": {"prompt": "login", "max_age": "0"}, "authelia": {"prompt": "login", "max_age": "0"},
		"pocketid": {"prompt": "login", "max_age": "0"}, "ory": {"prompt": "login", "max_age": "0"}, "cognito": {"prompt": "login", "max_age": "0"},
	}
	for name, pre := range presets() {
		want, ok := wants[name]
		if !ok {
			t.Errorf("%s: add a new preset to wants", name)
		}
		p := &provider{preset: pre}
		if p.preset.tellsNoTime != (want == nil) {
			t.Errorf("%s: tellsNoTime is %v", name, p.preset.tellsNoTime)
		}
		if want == nil {
			continue
		}
		if got := p.askAgain(metadata{}); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s asks with %v, want %v", name, got, want)
		}
	}
}

func TestNoProof(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.s.providers["acme"].preset.tellsNoTime = true
	_, err := b.s.BeginAgain(t.Context(), "acme", flowID)
	want(t, err, CodeNoProof, "when its user signed in")
	b.asked("/.well-known/openid-configuration", 0)
}
