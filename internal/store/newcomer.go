package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
)

// atOnce are the numbers of rows that one statement writes. Few numbers have few SQL texts.
var atOnce = [...]int{100, 10, 1}

// fitting returns the greatest of them up to n.
func fitting(n int) int {
	return atOnce[slices.IndexFunc(atOnce[:], func(some int) bool { return some <= n })]
}

// rows are rows for one table.
type rows struct {
	table, columns, after string // after: what follows the values
	list                  [][]any
}

func (r *rows) add(values ...any) { r.list = append(r.list, values) }

// insert writes rows, several with one statement.
func (t *Tx) insert(ctx context.Context, r rows) error {
	for left := r.list; len(left) > 0; {
		n := fitting(len(left))
		if err := t.run(ctx, `INSERT INTO `+r.table+` (`+r.columns+`) VALUES `+rowsOf(n, len(left[0]))+r.after, slices.Concat(left[:n]...)...); err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

// rowsOf returns the placeholders of n rows.
func rowsOf(n, columns int) string {
	var b strings.Builder
	for i := range n * columns {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	return b.String() + ")"
}

// InsertNewcomers implements flow.NewcomerStore.
func (t *Tx) InsertNewcomers(ctx context.Context, all []flow.Newcomer, now time.Time) error {
	newest, err := t.NewestSeal(ctx)
	if err != nil {
		return err
	}
	w := newWriting()
	var others []string
	for _, n := range all {
		w.take(n)
		w.facts.add(factValues(n.Fact, newest)...)
		for _, o := range n.Others {
			others = append(others, o.Address.Key)
		}
	}
	// A former address whose time has passed has its row until the next purge.
	if _, err := among(ctx, t, `DELETE FROM other_address WHERE expires_at <= $1 AND address_key IN (`, []any{micros(now)}, others, scanOther); err != nil {
		return err
	}
	for _, r := range w.tables() {
		if err := t.insert(ctx, *r); err != nil {
			return err
		}
	}
	return nil
}

// writing are the rows of newcomers, by table.
type writing struct {
	accounts, people, roles, ends, unproven, bare, subjects, others, identities, factors, codes, passkeys, facts rows
}

func newWriting() *writing {
	return &writing{
		accounts:   rows{table: "account", columns: accountColumns},
		people:     rows{table: "person", columns: "account_id, address_key, name_key, state, roles, factors, seen_at, created_at"},
		roles:      rows{table: "account_role", columns: "account_id, role"},
		ends:       rows{table: "account_end", columns: "account_id, ends_at"},
		unproven:   rows{table: "unproven_address", columns: "account_id, since"},
		bare:       rows{table: "newcomer", columns: "account_id, queued_at, pace, welcomed_at"},
		subjects:   rows{table: "imported_subject", columns: "account_id, issuer, subject"},
		others:     rows{table: "other_address", columns: otherColumns},
		identities: rows{table: "identity", columns: identityColumns},
		factors:    rows{table: "factor", columns: factorColumns},
		codes:      rows{table: "recovery_code", columns: "account_id, selector, hash"},
		passkeys:   rows{table: "passkey", columns: passkeyColumns},
		facts:      rows{table: "audit", columns: factColumns + ", seal"},
	}
}

// tables returns the rows in the order in which they may refer to each other.
func (w *writing) tables() []*rows {
	return []*rows{&w.accounts, &w.people, &w.roles, &w.ends, &w.unproven, &w.bare, &w.subjects, &w.others, &w.identities, &w.factors, &w.codes, &w.passkeys, &w.facts}
}

func (w *writing) take(n flow.Newcomer) {
	a := n.Account
	w.accounts.add(accountValues(a)...)
	w.people.add(a.ID, []byte(a.Address.Key), []byte(account.NameKey(a.Name)), string(a.State), list(a.Roles), factorsOf(n), micros(n.SeenAt), micros(a.CreatedAt))
	for _, role := range a.Roles {
		w.roles.add(a.ID, role)
	}
	if !a.EndsAt.IsZero() {
		w.ends.add(a.ID, micros(a.EndsAt))
	}
	if n.Unproven {
		w.unproven.add(a.ID, micros(a.CreatedAt))
	}
	if a.Password == "" {
		w.bare.add(a.ID, 0, 0, 0)
	}
	if n.Subject != (account.Subject{}) {
		w.subjects.add(a.ID, n.Subject.Issuer, n.Subject.Value)
	}
	for _, o := range n.Others {
		w.others.add(otherValues(o)...)
	}
	for _, i := range n.Identities {
		w.identities.add(identityValues(i)...)
	}
	for _, f := range n.Factors {
		w.factors.add(factorValues(f)...)
	}
	for _, c := range n.Codes {
		w.codes.add(c.AccountID, c.Selector, c.Hash)
	}
	for _, p := range n.Passkeys {
		w.passkeys.add(passkeyValues(p)...)
	}
}

// factorsOf returns person.factors of a newcomer.
func factorsOf(n flow.Newcomer) (factors int64) {
	if len(n.Factors) > 0 {
		factors |= appOnly
	}
	if len(n.Passkeys) > 0 {
		factors |= passkeyOnly
	}
	return factors
}

// among runs a query that ends before a list of many values, and collects its rows. A short list repeats its last
// value, so that there is one SQL text.
func among[T, V any](ctx context.Context, t *Tx, query string, fixed []any, values []V, scan func(row scanner) (T, error)) (all []T, err error) {
	const most = 100
	for len(values) > 0 {
		part := values[:min(most, len(values))]
		values = values[len(part):]
		args, places := append([]any{}, fixed...), make([]string, most)
		for i := range most {
			args, places[i] = append(args, part[min(i, len(part)-1)]), "$"+strconv.Itoa(len(fixed)+i+1)
		}
		found, err := collect(ctx, t, query+strings.Join(places, ", ")+")", args, scan)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// runAmong runs a change that ends before a list of many values, as among does.
func (t *Tx) runAmong(ctx context.Context, change string, fixed []any, values []string) error {
	_, err := among(ctx, t, change, fixed, values, scanOne[string])
	return err
}

// AccountsByKey implements account.ImportedStore.
func (t *Tx) AccountsByKey(ctx context.Context, keys []string) ([]account.Account, error) {
	return among(ctx, t, `SELECT `+accountColumns+` FROM account WHERE address_key IN (`, nil, keys, scanAccount)
}

// KeptByKey implements flow.NewcomerStore.
func (t *Tx) KeptByKey(ctx context.Context, keys []string, now time.Time) (map[string]string, error) {
	found, err := among(ctx, t, `SELECT `+otherColumns+` FROM other_address WHERE expires_at > $1 AND address_key IN (`, []any{micros(now)}, keys, scanOther)
	kept := map[string]string{}
	for _, o := range found {
		kept[o.Address.Key] = o.AccountID
	}
	return kept, err
}

// IdentitiesAt implements flow.NewcomerStore.
func (t *Tx) IdentitiesAt(ctx context.Context, issuer string, subjects []string) ([]account.Identity, error) {
	return among(ctx, t, `SELECT `+identityColumns+` FROM identity WHERE issuer = $1 AND subject IN (`, []any{issuer}, subjects, scanIdentity)
}

// KnownCredentials implements flow.NewcomerStore.
func (t *Tx) KnownCredentials(ctx context.Context, credentials [][]byte) (map[string]string, error) {
	known := map[string]string{}
	_, err := among(ctx, t, `SELECT credential, account_id FROM passkey WHERE credential IN (`, nil, credentials, func(row scanner) (struct{}, error) {
		var credential []byte
		var id string
		err := row.Scan(&credential, &id)
		known[string(credential)] = id
		return struct{}{}, err
	})
	return known, err
}

func scanImported(row scanner) (i account.Imported, err error) {
	err = row.Scan(&i.AccountID, &i.Subject.Issuer, &i.Subject.Value)
	return i, err
}

// ImportedAs implements account.ImportedStore.
func (t *Tx) ImportedAs(ctx context.Context, values []string) ([]account.Imported, error) {
	return among(ctx, t, `SELECT account_id, issuer, subject FROM imported_subject WHERE subject IN (`, nil, values, scanImported)
}

// SubjectOf implements account.ImportedStore.
func (t *Tx) SubjectOf(ctx context.Context, accountID string) (account.Subject, bool, error) {
	i, ok, err := first(ctx, t, `SELECT account_id, issuer, subject FROM imported_subject WHERE account_id = $1`, []any{accountID}, scanImported)
	return i.Subject, ok, err
}

// ImportedSubject implements openid.Store.
func (t *Tx) ImportedSubject(ctx context.Context, accountID string) (string, error) {
	s, _, err := t.SubjectOf(ctx, accountID)
	return s.Value, err
}

// Imported implements account.ImportedStore.
func (t *Tx) Imported(ctx context.Context, after string, limit int) ([]account.Imported, error) {
	return collect(ctx, t, `SELECT account_id, issuer, subject FROM imported_subject WHERE account_id > $1 ORDER BY account_id LIMIT CAST($2 AS BIGINT)`,
		[]any{after, limit}, scanImported)
}

// IsUnproven implements account.ImportedStore.
func (t *Tx) IsUnproven(ctx context.Context, accountID string) (bool, error) {
	_, unproven, err := first(ctx, t, `SELECT since FROM unproven_address WHERE account_id = $1`, []any{accountID}, scanOne[int64])
	return unproven, err
}

// EndUnproven implements account.ImportedStore.
func (t *Tx) EndUnproven(ctx context.Context, accountID string) error {
	return t.run(ctx, `DELETE FROM unproven_address WHERE account_id = $1`, accountID)
}
