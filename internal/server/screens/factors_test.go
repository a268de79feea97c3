package screens_test

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"

	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/store"
)

// The forms of second factors and passkeys without script: an app is added after a wrong
// code, the recovery codes are saved and replaced, and all can be renamed and removed.
func TestFactors_WithoutScript(t *testing.T) {
	t.Parallel()
	const page, keys = "/auth/account/factors", "/auth/account/passkeys"
	s, v := person(t)
	id := v.opens(page).Session.ID

	next := v.Send(page+"/add", url.Values{"account": {id}}).Next()
	b := v.opens(next)
	key, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(b.Factors.Secret, " ", ""))
	if err != nil || b.Factors.State != "app" || b.Factors.QR == "" {
		t.Fatalf("%s shows %+v (%v)", next, b.Factors, err)
	}
	code := factor.Secret(key).At(s.Clock.Now())
	b = v.reads(v.Send(page, url.Values{"flow": {b.Flow.ID}, "code": {wrongFor(code)}}))
	if b.Status != 422 || b.Errors.Fields.Code == "" || b.Factors.Secret == "" {
		t.Errorf("a wrong code: %+v", b.Errors)
	}
	v.leads(v.Send(page, url.Values{"flow": {b.Flow.ID}, "code": {code}}), next)
	if b = v.opens(next); b.Factors.State != "codes" || len(b.Factors.Codes) != 10 || b.Factors.Secret != "" {
		t.Errorf("the codes: %+v", b.Factors)
	}
	first := b.Factors.Codes[0]
	v.leads(v.Send(page+"/saved", url.Values{"flow": {b.Flow.ID}}), page)
	if b = v.opens(page); len(b.Factors.List) != 1 || b.Factors.Left != "10" || b.Success != "Two-step verification is on." {
		t.Errorf("the list: %+v, %q", b.Factors, b.Success)
	}
	app := b.Factors.List[0].ID
	if used := b.Factors.List[0].Used; used.At != "" {
		t.Errorf("an app is shown as used at %s, when it was added", used.Words)
	}
	if b = v.opens(v.Send(page+"/codes", url.Values{"account": {id}}).Next()); len(b.Factors.Codes) != 10 || b.Factors.Codes[0] == first {
		t.Errorf("the new codes: %+v", b.Factors)
	}
	v.leads(v.Send(page+"/saved", url.Values{"flow": {b.Flow.ID}}), page)
	if b = v.opens(page); b.Success != "" {
		t.Errorf("new codes turn nothing on: %q", b.Success)
	}

	held := passkey.Passkey{
		ID: "01jd3k8v5q0000000000000000", AccountID: id, Credential: []byte("id"), PublicKey: []byte("key"), Handle: []byte("handle"),
		Host: "localhost", CreatedAt: s.Clock.Now(), UsedAt: s.Clock.Now(),
	}
	if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(t.Context(), held)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	v.leads(v.Send(keys+"/rename", url.Values{"account": {id}, "id": {held.ID}, "name": {"Phone"}}), keys)
	if b = v.opens(keys); len(b.Passkeys.List) != 1 || b.Passkeys.List[0].Name != "Phone" || b.Success == "" {
		t.Errorf("the passkeys: %+v", b.Passkeys)
	}
	v.leads(v.Send(keys+"/remove", url.Values{"account": {id}, "id": {held.ID}}), keys)
	if b = v.opens(keys); len(b.Passkeys.List) != 0 || b.Success == "" {
		t.Errorf("the passkeys: %+v", b.Passkeys)
	}
	v.leads(v.Send(page+"/remove", url.Values{"account": {id}, "id": {app}}), page)
	if b = v.opens(page); len(b.Factors.List) != 0 || b.Factors.Left != "" || !strings.HasPrefix(b.Success, "Two-step verification is off.") {
		t.Errorf("after the removal: %+v, %q", b.Factors, b.Success)
	}
}

// wrongFor returns digits that are not the code.
func wrongFor(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}
