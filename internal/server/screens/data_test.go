package screens_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestData_Download(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	b := v.opens("/auth/account/data")
	if b.Again != "" {
		t.Errorf("a proof is asked for right after the sign-in: %+v", b)
	}
	p := v.Send("/auth/account/data", url.Values{"account": {b.Session.ID}})
	if p.StatusCode != 200 || p.Header.Get("Content-Type") != "application/json" || p.Header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(p.Header.Get("Content-Disposition"), `attachment; filename=account-data-`) {
		t.Errorf("%d %v", p.StatusCode, p.Header)
	}
	var file struct {
		Account string
		Tables  map[string][]map[string]any
	}
	if err := json.Unmarshal([]byte(p.Body), &file); err != nil {
		t.Fatal(err)
	}
	if file.Account != b.Session.ID || len(file.Tables) < 13 || file.Tables["account"][0]["address"] != "mara@example.org" || file.Tables["passkey"] == nil {
		t.Errorf("the file is %s", p.Body)
	}
	v.other(v.Send("/auth/account/data", url.Values{"account": {"another"}}))
	s.Clock.Advance(11 * time.Minute)
	if b := v.opens("/auth/account/data"); b.Again != "yes" {
		t.Error("the page asks for no proof")
	}
	if b := v.reads(v.Send("/auth/account/data", url.Values{"account": {b.Session.ID}})); b.Status != 401 || b.Again != "yes" || b.Errors.Form != "" {
		t.Errorf("%+v", b)
	}
}
