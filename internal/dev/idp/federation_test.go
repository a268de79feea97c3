package idp_test

import (
	"bytes"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"portico/internal/egress"
	"portico/internal/fault"
	"portico/internal/federation"
)

// rely returns Portico's own client side, with the provider as "sample".
func (b *bench) rely() *federation.Service {
	b.t.Helper()
	trust := true
	list := []federation.ProviderConfig{{ID: "sample", Issuer: b.issuer, ClientID: client, ClientSecret: password, TrustEmail: &trust}}
	out, err := egress.New(egress.Config{Allow: federation.Origins(list)})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(out.HTTP().CloseIdleConnections)
	s, err := federation.New(federation.Config{
		Providers: list, Client: out, Clock: b.clock, RedirectURL: func(string) string { return redirect },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func begin(b *bench, s *federation.Service) (federation.Begun, string) {
	b.t.Helper()
	begun, err := s.Begin(b.t.Context(), "sample", "the flow")
	if err != nil {
		b.t.Fatal(err)
	}
	_, query, _ := strings.Cut(begun.URL, "?")
	return begun, query
}

func TestPorticoSignsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.rely()
	for _, c := range []struct {
		form url.Values
		want federation.Identity
	}{
		{url.Values{"choice": {"sample-ada"}}, federation.Identity{Subject: "sample-ada", Email: "ada@example.test", EmailVerified: true, Name: "Ada Lovelace"}},
		{url.Values{"choice": {"sample-grace"}}, federation.Identity{Subject: "sample-grace", Email: "grace@example.test", Name: "Grace Hopper"}},
		{url.Values{"choice": {"sample-alan"}}, federation.Identity{Subject: "sample-alan", Name: "Alan Turing"}},
		{url.Values{"choice": {"typed"}, "email": {"Zoe@x.test "}, "verified": {"yes"}}, federation.Identity{Subject: "typed-D3lgOCnnklECUiXb", Email: "Zoe@x.test", EmailVerified: true}},
		{url.Values{"choice": {"typed"}, "name": {"Zoë"}, "email": {"zoe@X.test"}}, federation.Identity{Subject: "typed-D3lgOCnnklECUiXb", Email: "zoe@X.test", Name: "Zoë"}},
	} {
		begun, query := begin(b, s)
		got, err := s.Finish(t.Context(), "sample", begun.Pending, b.choose(query, c.form))
		c.want.Provider, c.want.Issuer, c.want.SignedInAt = "sample", b.issuer, time.Unix(b.clock.Now().Unix(), 0)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %+v, %v", c.form, got, err)
		}
	}
}

func TestPorticoIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.rely()
	is := func(err error, code string) bool { return errors.Is(err, fault.New(fault.Forbidden, code)) }

	begun, query := begin(b, s)
	_, err := s.Finish(t.Context(), "sample", begun.Pending, b.choose(query, url.Values{"choice": {"cancel"}}))
	if !is(err, federation.CodeCancelled) {
		t.Errorf("cancelled: got %v", err)
	}

	begun, query = begin(b, s)
	callback := b.choose(query, url.Values{"choice": {"sample-ada"}})
	pending := bytes.Replace(begun.Pending, []byte(`"verifier":"`), []byte(`"verifier":"x`), 1)
	if _, err := s.Finish(t.Context(), "sample", pending, callback); !is(err, federation.CodeRejected) || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("another verifier: got %v", err)
	}

	begun, query = begin(b, s)
	callback = b.choose(query, url.Values{"choice": {"sample-ada"}})
	if _, err := s.Finish(t.Context(), "sample", begun.Pending, callback); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context(), "sample", begun.Pending, callback); !is(err, federation.CodeRejected) || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("replayed: got %v", err)
	}

	callback.Del("iss") // the provider must send it
	if _, err := s.Finish(t.Context(), "sample", begun.Pending, callback); !is(err, federation.CodeRejected) || !strings.Contains(err.Error(), "iss") {
		t.Errorf("without the issuer: got %v", err)
	}
}
