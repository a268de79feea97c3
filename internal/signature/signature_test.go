package signature_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/signature"
)

// The example of the documentation of Svix, whose libraries receive Standard Webhooks.
func TestSign_Published(t *testing.T) {
	t.Parallel()
	key, err := signature.ParseKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	signature.Sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 999), []byte(`{"test": 2432232314}`), key)
	for name, want := range map[string]string{
		signature.HeaderID:        "msg_p5jXN8AQM9LWM0D4loKWxJek",
		signature.HeaderTime:      "1614265330",
		signature.HeaderSignature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, h.Get(name), want)
		}
	}
}

func TestSign_SeveralKeys(t *testing.T) {
	t.Parallel()
	one, _ := signature.ParseKey(signature.NewKey())
	two, _ := signature.ParseKey(signature.NewKey())
	both, alone := http.Header{}, http.Header{}
	at := time.Unix(1_700_000_000, 0)
	signature.Sign(both, "id", at, []byte("body"), one, two)
	signature.Sign(alone, "id", at, []byte("body"), two)
	all := strings.Fields(both.Get(signature.HeaderSignature))
	if len(all) != 2 || all[0] == all[1] || all[1] != alone.Get(signature.HeaderSignature) {
		t.Fatalf("got %q, want the signatures of both keys", all)
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w",
		"whsec_" + strings.Repeat("AAAA", 22), // 66 bytes
	} {
		if _, err := signature.ParseKey(text); !errors.Is(err, signature.ErrKey) {
			t.Errorf("%q: got %v, want ErrKey", text, err)
		}
	}
	text := signature.NewKey()
	key, err := signature.ParseKey(text)
	if err != nil || text == signature.NewKey() {
		t.Fatalf("got %v for %q, want a new key each time", err, text)
	}
	if shown := fmt.Sprintf("%v %s %#v", key, key, key); strings.Contains(shown, text) || strings.Contains(shown, "[]") {
		t.Errorf("formatting shows %q", shown)
	}
}
