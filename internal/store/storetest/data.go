package storetest

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/job"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/webhook"
)

type data struct{ *bundle }

// named stores a row of each kind that names an account.
func (b *bundle) named(a account.Account, number int) {
	b.Helper()
	identity, held, given := full[account.Identity](number), full[passkey.Passkey](number), full[openid.Consent](number)
	grant, pending, mail := full[openid.Grant](number), full[flow.Pending](number), full[outbox.Record](number)
	fact, s, former := full[audit.Fact](number), full[session.Session](number), full[account.Other](number)
	identity.AccountID, held.AccountID, given.AccountID = a.ID, a.ID, a.ID
	grant.AccountID, pending.AccountID, pending.AddressKey, mail.AccountID = a.ID, a.ID, a.Address.Key, a.ID
	fact.AccountID, s.AccountID, former.AccountID = a.ID, a.ID, a.ID
	b.factor(a.ID, number)
	b.recoveryCode(a.ID, number)
	b.trust(a.ID, number)
	b.portrait(a.ID, number)
	personals{b}.token(number, a)
	b.write(func(tx *store.Tx) error {
		ctx := b.Context()
		if _, err := tx.InsertIdentity(ctx, identity); err != nil {
			return err
		}
		if _, err := tx.InsertPasskey(ctx, held); err != nil {
			return err
		}
		if err := tx.KeepAddress(ctx, former); err != nil {
			return err
		}
		if err := tx.InsertSession(ctx, []byte(s.ID), s); err != nil {
			return err
		}
		if err := tx.SaveConsent(ctx, given); err != nil {
			return err
		}
		if err := tx.InsertGrant(ctx, grant); err != nil {
			return err
		}
		if err := tx.InsertFlow(ctx, pending); err != nil {
			return err
		}
		if err := tx.InsertMessage(ctx, mail); err != nil {
			return err
		}
		if err := tx.InsertRevocation(ctx, a.ID, moment()); err != nil {
			return err
		}
		running := full[job.Job](number)
		running.AccountID, running.State = a.ID, job.Running
		if _, err := tx.InsertJob(ctx, running); err != nil {
			return err
		}
		invited := full[invitation.Invitation](number)
		invited.AccountID = a.ID
		if _, err := tx.InsertInvitation(ctx, invited); err != nil {
			return err
		}
		key, secret := full[apikey.Key](number), full[apikey.Secret](number)
		secret.KeyID, secret.AccountID = key.ID, a.ID
		if err := tx.InsertAPIKey(ctx, key); err != nil {
			return err
		}
		if err := tx.InsertAPIKeySecret(ctx, secret); err != nil {
			return err
		}
		told := full[webhook.Delivery](number)
		told.AccountID = a.ID
		if err := tx.InsertDelivery(ctx, told); err != nil {
			return err
		}
		if err := tx.InsertApplicant(ctx, a.ID); err != nil {
			return err
		}
		return tx.InsertFact(ctx, fact)
	})
}

func (b data) AccountData_EveryTableOfOneAccount() {
	arrived := flow.Newcomer{Account: full[account.Account](1), Unproven: true, Subject: full[account.Subject](1), Fact: full[audit.Fact](9)}
	arrived.Account.State, arrived.Account.Password = account.Active, ""
	newcomers(b).make(arrived)
	a, other := arrived.Account, b.person(2)
	b.named(a, 1)
	b.named(other, 2)
	b.departure(a.ID, moment())
	b.write(func(tx *store.Tx) error { return tx.RefusePasskeys(b.Context(), a.ID, moment()) })
	alive := full[outbox.Record](3)
	alive.AccountID, alive.DeadAt = a.ID, time.Time{}
	b.message(alive)
	tables := list(b.bundle, func(tx *store.Tx) ([]account.Rows, error) { return tx.AccountData(b.Context(), a, moment()) })
	found := map[string][]map[string]any{}
	for _, t := range tables {
		found[t.Table] = t.Rows
	}
	for name, rows := range found {
		want := 1
		if name == "outbox" || name == "account_role" {
			want = 2 // a waiting one and a failed one; both roles
		}
		if len(rows) != want {
			b.Errorf("%d rows of %s, want %d", len(rows), name, want)
		}
	}
	roles, _ := json.Marshal(a.Roles)
	b.equal("the account", found["account"][0], map[string]any{
		"id": a.ID, "address": a.Address.Mail, "address_key": a.Address.Key, "name": a.Name, "state": "active", "roles": json.RawMessage(roles),
		"version": a.Version, "created_at": a.CreatedAt.Format(time.RFC3339Nano), "locale": a.Locale,
		"terms": a.Terms.Version, "terms_at": a.Terms.AcceptedAt.Format(time.RFC3339Nano),
		"alarm_mail_at": a.Alarm.Since.Format(time.RFC3339Nano), "alarm_at": a.Alarm.RaisedAt.Format(time.RFC3339Nano),
		"alarm_address_at": a.Alarm.AddedAt.Format(time.RFC3339Nano), "address_at": a.AddressAt.Format(time.RFC3339Nano),
		"factor_told_at": a.FactorToldAt.Format(time.RFC3339Nano), "flow_ends": a.FlowEnds, "ends_at": a.EndsAt.Format(time.RFC3339Nano), "app_claims": a.Claims,
	})
	for _, column := range []string{"scopes", "resources", "claims"} {
		if got, ok := found["openid_grant"][0][column].(json.RawMessage); !ok {
			b.Errorf("the %s of a grant are %v, want JSON", column, got)
		}
	}
	key := full[passkey.Passkey](1)
	if got := found["passkey"][0]["public_key"]; got != base64.RawURLEncoding.EncodeToString(key.PublicKey) {
		b.Errorf("the key of the passkey is %v", got)
	}
	if got := found["outbox"][0]["dead_at"]; got != nil {
		b.Errorf("a waiting email failed at %v", got)
	}
	text, err := json.Marshal(found)
	if err != nil {
		b.Fatal(err)
	}
	if strings.Contains(string(text), other.ID) {
		b.Error("the other account is named")
	}
}

// A change of the address waits under an address that the account does not have.
func (b data) AccountData_PendingFlowOfAnotherAddress() {
	a, other := b.person(1), b.person(2)
	for number, of := range []account.Account{a, a, other} {
		p := full[flow.Pending](number + 1)
		p.AccountID = of.ID
		b.write(func(tx *store.Tx) error { return tx.InsertFlow(b.Context(), p) })
	}
	ends := full[flow.Pending](1).ExpiresAt
	for now, want := range map[time.Time]int{moment(): 2, ends: 1} {
		rows := list(b.bundle, func(tx *store.Tx) ([]account.Rows, error) { return tx.AccountData(b.Context(), a, now) })
		at := slices.IndexFunc(rows, func(r account.Rows) bool { return r.Table == "flow" })
		if got := len(rows[at].Rows); got != want {
			b.Errorf("at %v the file has %d flows, want %d", now, got, want)
		}
	}
}

func (b data) AccountData_NothingButTheAccount() {
	a := b.person(1)
	for _, t := range list(b.bundle, func(tx *store.Tx) ([]account.Rows, error) { return tx.AccountData(b.Context(), a, moment()) }) {
		if want := map[string]int{"account": 1, "account_end": 1, "person": 1, "account_role": 2}[t.Table]; len(t.Rows) != want {
			b.Errorf("%d rows of %s, want %d", len(t.Rows), t.Table, want)
		}
	}
}
