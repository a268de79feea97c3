package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/passkey/passkeytest"
)

// byAlarm returns the records of the changes that alarms made, sorted.
func (b *bundle) byAlarm() string {
	var all []string
	for _, f := range b.store.facts.all() {
		if flow.ByAlarm(f) {
			all = append(all, f.Actor+" "+f.Peer+" "+string(f.Name)+" "+f.Detail)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// The records name each thing that an alarm has removed. Older things stay, and are
// in no record.
func TestRaiseAlarm_RecordsWhatItRemoves(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	old := v.adds()
	b.mailed("passkey-added", "en")
	v.links("old")
	b.clock.Advance(73 * time.Hour)
	v.must(v.uses(old))
	v.adds()
	b.mailed("passkey-added", "en")
	v.enrols()
	b.mailed("factor-added", "en")
	v.links("corp")
	token := alarmToken(v.recovers("thief@example.org", 2)["mara@example.org recovery-address-set"])
	if made := b.byAlarm(); made != "" {
		t.Fatalf("before the alarm: %q", made)
	}
	v.must(b.Flows.RaiseAlarm(t.Context(), b.visitor("192.0.2.9").Caller, token))
	b.mailed("take-back", "en")
	b.expects("the records", b.byAlarm(), strings.Join([]string{
		"self 192.0.2.9 address_removed alarm",
		"self 192.0.2.9 factor_removed totp,alarm",
		"self 192.0.2.9 passkey_removed " + passkeytest.Model + ",alarm",
		"self 192.0.2.9 password_removed alarm",
		"self 192.0.2.9 provider_removed corp,alarm",
		"self 192.0.2.9 recovery_codes_removed alarm",
	}, "\n"))
}

// An alarm ends the access of OpenID clients, which the records name. It brings back the
// address for a recovery.
func TestRaiseAlarm_RecordsAppsAndTheRecoveryAddress(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	n.recovers("safe@example.org", 2)
	n.clock.Advance(73 * time.Hour)
	n.must(n.signIn("mara@example.org", good))
	n.must(n.Owner.ChangePassword(t.Context(), n.Caller, n.found(), another, another))
	token := alarmToken(n.mails(2)["safe@example.org password-changed"])
	n.recovers("thief@example.org", 3)
	n.client.Consent = true
	asked := openid.Request{Client: n.client, Scopes: n.client.Scopes}
	if _, err := n.OpenID.Authorize(t.Context(), n.Caller, n.found(), asked, flow.Mark{}, true); err != nil {
		t.Fatal(err)
	}
	n.must(n.Flows.RaiseAlarm(t.Context(), n.visitor.Caller, token))
	n.expects("the records", n.byAlarm(), strings.Join([]string{
		"self 192.0.2.1 address_removed alarm",
		"self 192.0.2.1 consent_revoked rp,alarm",
		"self 192.0.2.1 password_removed alarm",
		"self 192.0.2.1 recovery_address_set alarm",
	}, "\n"))
	if app := n.Owner.AppOf(n.record(audit.ConsentRevoked)); app != "rp" {
		t.Errorf("the record is about %q", app)
	}
}

// A client, a provider or a role may be called alarm, too.
func TestByAlarm_OnlyOfAnAlarm(t *testing.T) {
	t.Parallel()
	for _, f := range []audit.Fact{
		{Name: audit.ConsentRevoked, Detail: "alarm"},
		{Name: audit.ProviderRemoved, Detail: "alarm"},
		{Name: audit.RolesChanged, Detail: "admin,alarm"},
		{Name: audit.PasswordRemoved, Detail: "recovery"},
	} {
		if flow.ByAlarm(f) {
			t.Errorf("%+v", f)
		}
	}
}
