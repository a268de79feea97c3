package apikey

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// MostPersonal is how many personal access tokens a user may have that work.
const MostPersonal = 20

// KeepPersonal is how long the row of a token stays after its end: longer than the page of any session
// that could send the form of the token again.
const KeepPersonal = 366 * 24 * time.Hour

// Lives returns for how many days a personal access token may work. The second one is the usual one.
func Lives() []string { return []string{"30", "90", "365"} }

// Personal is a personal access token without its secret.
type Personal struct {
	ID        string
	AccountID string
	Version   int64 // credential version of the account when it was made
	Name      string
	App       string   // the only one that it opens
	Roles     []string // the most that it has of the user's roles
	CreatedAt time.Time
	EndsAt    time.Time
	UsedAt    time.Time // zero if it was never used
}

// Days returns the end of a token that is made now, or NoDays.
func Days(typed string, now time.Time) (time.Time, error) {
	if !slices.Contains(Lives(), typed) {
		return now, NoDays
	}
	days, _ := strconv.Atoi(typed)
	return now.Add(time.Duration(days) * 24 * time.Hour), nil
}

// PersonalStore is what personal access tokens need of the database, besides session.Store.
type PersonalStore interface {
	InsertPersonal(ctx context.Context, hash []byte, p Personal) error
	// PersonalByHash returns a token, also one that has ended.
	PersonalByHash(ctx context.Context, hash []byte) (Personal, bool, error)
	// PersonalsOf returns the tokens of an account that work, the newest first.
	PersonalsOf(ctx context.Context, accountID string, now time.Time) ([]Personal, error)
	// EndPersonal ends a token of an account; it does nothing to one that has ended. An empty id is for all.
	EndPersonal(ctx context.Context, accountID, id string, now time.Time) error
}
