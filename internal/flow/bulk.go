package flow

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/job"
	"portico/internal/rule"
)

// The kinds of jobs that change many people.
const (
	BulkEndSessions job.Kind = "end-sessions"
	BulkDisable     job.Kind = "disable"
	BulkEnable      job.Kind = "enable"
	BulkGiveRole    job.Kind = "give-role"
	BulkTakeRole    job.Kind = "take-role"
)

// Why a person is skipped.
const (
	skipSelf    = "self"    // the admin, who would cease to be one or be signed out
	skipSame    = "same"    // the account is so already
	skipLeaving = "leaving" // it is to be erased, which its own page can undo
	skipWaiting = "waiting" // for an approval, which only a decision ends
	skipFull    = "full"    // it has as many roles as it may have
	skipMissing = "missing" // there is no such account, or no more
	skipLimited = "limited" // its mailbox has received as many emails as one admin or key may cause in a day
	skipRefused = "refused"
)

// errLeaves says that an account was marked for deletion after the job had read it.
var errLeaves = errors.New("the account is to be erased")

const (
	// MostPicked is how many people a Bulk may name.
	MostPicked = 500
	// MostCounted is how many people a Bulk counts before it begins.
	MostCounted = 10_000
)

// Bulk is one change of many people: of those it names, or else of all who match the query.
type Bulk struct {
	Kind   job.Kind      `json:"-"`
	Role   string        `json:"role"`
	People []string      `json:"people"` // ids of accounts
	Query  account.Query `json:"query"`
	More   bool          `json:"more"` // TryBulk has not counted all
}

// checked returns the bulk without people who are named twice.
func (b Bulk) checked() (Bulk, error) {
	needsRole := b.Kind == BulkGiveRole || b.Kind == BulkTakeRole
	switch {
	case !slices.Contains([]job.Kind{BulkEndSessions, BulkDisable, BulkEnable, BulkGiveRole, BulkTakeRole}, b.Kind):
		return b, fault.InvalidFields(fault.Field{Name: "action", Code: account.CodeQueryInvalid})
	case needsRole != (b.Role != "") || needsRole && !rule.ValidRole(b.Role):
		return b, fault.InvalidFields(fault.Field{Name: "role", Code: CodeRoleInvalid})
	case len(b.People) > MostPicked:
		return b, fault.InvalidFields(fault.Field{Name: "people", Code: job.CodeSize, Params: map[string]string{"count": strconv.Itoa(MostPicked)}})
	case !slices.ContainsFunc(b.People, func(id string) bool { return !ids.Valid(id) }):
		b.People = distinct(b.People)
		return b, nil
	}
	return b, fault.InvalidFields(fault.Field{Name: "people", Code: account.CodeQueryInvalid})
}

// picked is a person of a bulk. The next page begins after them at the place.
type picked struct {
	id     string
	known  *account.Account // nil if there is no such account
	leaves bool             // it is to be erased
	place  string
}

// pick returns up to limit people after a place, and where to go on: "" at the end.
func (f *Operator) pick(ctx context.Context, b Bulk, place string, limit int) (people []picked, next string, err error) {
	if len(b.People) == 0 {
		q := b.Query
		q.After, q.Limit = place, limit
		page, err := f.People(ctx, q)
		for i, p := range page.People {
			people = append(people, picked{p.ID, &p.Account, !p.EraseAt.IsZero(), page.Places[i]})
		}
		return people, page.Next, err
	}
	from, _ := strconv.Atoi(place) // "" is the first one
	limit = min(limit, stepsAtOnce)
	to := min(from+limit, len(b.People))
	err = f.store.Read(ctx, func(tx Tx) error {
		people = nil
		for i, id := range b.People[min(from, to):to] {
			a, ok, err := tx.AccountByID(ctx, id)
			if err != nil {
				return err
			}
			one := picked{id: id, place: strconv.Itoa(from + i + 1)}
			if ok {
				one.known = &a
				if _, one.leaves, err = tx.DepartureOf(ctx, id); err != nil {
					return err
				}
			}
			people = append(people, one)
		}
		return nil
	})
	if to < len(b.People) {
		next = strconv.Itoa(to)
	}
	return people, next, err
}

// skips returns why the bulk of an admin or a key skips a person, or "".
func (b Bulk) skips(by Actor, p picked, now time.Time) string {
	if p.known == nil {
		return skipMissing
	}
	has, self := slices.Contains(p.known.Roles, b.Role), by.own(p.id)
	for _, reason := range []struct {
		holds bool
		why   string
	}{
		{by.mayChange(p.known.Roles) != nil, skipRefused},
		{self && (b.Kind == BulkDisable || b.Kind == BulkEndSessions || b.Kind == BulkTakeRole && b.Role == RoleAdmin), skipSelf},
		{b.Kind == BulkDisable && p.known.State == account.DisabledByOperator && !p.leaves, skipSame},
		{b.Kind == BulkDisable && p.known.State == account.Waiting, skipWaiting},
		{b.Kind == BulkEnable && p.known.State == account.Active && !p.known.Ended(now), skipSame},
		{b.Kind == BulkEnable && p.leaves, skipLeaving},
		{b.Kind == BulkGiveRole && has || b.Kind == BulkTakeRole && !has, skipSame},
		{b.Kind == BulkGiveRole && len(p.known.Roles) >= maxRoles, skipFull},
	} {
		if reason.holds {
			return reason.why
		}
	}
	return ""
}

// bulk does the change of a Bulk to one person.
func (f *Operator) bulk(ctx context.Context, by Actor, b Bulk, id string) (err error) {
	switch b.Kind {
	case BulkEndSessions:
		_, err = f.EndUserSessions(ctx, by, id)
		return err
	case BulkDisable:
		return f.SetUserState(ctx, by, id, account.DisabledByOperator)
	case BulkEnable:
		return f.change(ctx, by, id, func(tx Tx, a cleared) error {
			if _, leaves, err := tx.DepartureOf(ctx, id); err != nil || leaves {
				return cmp.Or(err, errLeaves)
			}
			return f.setState(ctx, tx, by, a, account.Active, "")
		})
	case BulkGiveRole:
		return f.ChangeUserRoles(ctx, by, id, []string{b.Role}, nil)
	}
	return f.ChangeUserRoles(ctx, by, id, nil, []string{b.Role})
}
