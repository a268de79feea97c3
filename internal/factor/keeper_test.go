package factor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/factor"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

// bundle is a Keeper on a real database, with one account.
type bundle struct {
	*testing.T
	*factor.Keeper
	store *store.Store
	clock *clock.Manual
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{T: t, store: sqlitetest.Open(t), clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	b.Keeper = factor.NewKeeper(secret.NewKey(), b.clock)
	if err := b.write(func(tx factor.Store) error {
		_, err := tx.(*store.Tx).InsertAccount(t.Context(), account.Account{ID: "mara", Address: account.Address{Key: "m", Mail: "m"}, State: account.Active})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) write(fn func(tx factor.Store) error) error {
	return b.store.Write(b.Context(), func(tx *store.Tx) error { return fn(tx) })
}

func (b *bundle) add(s factor.Secret, digits string) error {
	return b.write(func(tx factor.Store) error {
		_, err := b.Add(b.Context(), tx, "mara", s, digits)
		return err
	})
}

func (b *bundle) use(digits string) error {
	return b.write(func(tx factor.Store) error {
		_, err := b.Use(b.Context(), tx, "mara", digits)
		return err
	})
}

func TestKeeper_Apps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var apps []factor.Secret
	for range factor.Most {
		s := factor.NewSecret()
		if err := b.add(s, s.At(b.clock.Now())); err != nil {
			t.Fatal(err)
		}
		apps = append(apps, s)
	}
	one := factor.NewSecret()
	if err := b.add(one, one.At(b.clock.Now())); !errors.Is(err, factor.Full) {
		t.Errorf("one more than the most: %v", err)
	}
	if err := b.add(one, "x"); !errors.Is(err, factor.Wrong) {
		t.Errorf("a wrong code: %v", err)
	}
	if err := b.use(apps[0].At(b.clock.Now())); !errors.Is(err, factor.Replayed) {
		t.Errorf("the code that added the app: %v", err)
	}
	b.clock.Advance(factor.Period * time.Second)
	for i, s := range apps {
		if err := b.use(s.At(b.clock.Now())); err != nil {
			t.Errorf("the code of app %d: %v", i, err)
		}
		if err := b.use(s.At(b.clock.Now())); !errors.Is(err, factor.Replayed) {
			t.Errorf("the same code again: %v", err)
		}
	}
	if err := b.use(one.At(b.clock.Now())); !errors.Is(err, factor.Wrong) {
		t.Errorf("the code of no app of the account: %v", err)
	}
}

func TestKeeper_RecoveryCodes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	codes := factor.NewCodes()
	var parsed []string
	hashes := make([]string, len(codes))
	for i, c := range codes {
		code, _ := factor.ParseCode(c)
		parsed, hashes[i] = append(parsed, code), "hash of "+code
	}
	if err := b.write(func(tx factor.Store) error { return b.Replace(t.Context(), tx, "mara", parsed, hashes) }); err != nil {
		t.Fatal(err)
	}
	for left := len(codes); left > len(codes)-2; left-- {
		code := parsed[len(codes)-left]
		for _, want := range []error{nil, factor.Wrong} {
			err := b.write(func(tx factor.Store) error {
				all, err := b.Guesses(t.Context(), tx, "mara", code)
				if want == nil && (err != nil || len(all) != 1 || all[0].Hash != "hash of "+code || all[0].Text != code) {
					t.Errorf("the guesses are %+v (%v), want %q", all, err, code)
				}
				for _, g := range all {
					if n, err := b.Left(t.Context(), tx, g.RecoveryCode); err != nil || n != left {
						t.Errorf("%d are left (%v), want %d", n, err, left)
					}
				}
				return b.Spend(t.Context(), tx, factor.RecoveryCode{AccountID: "mara", Selector: code[:factor.SelectorLength]})
			})
			if !errors.Is(err, want) {
				t.Errorf("%q is spent: %v, want %v", code, err, want)
			}
		}
	}
}

// faulty is a transaction that fails at one operation.
type faulty struct {
	factor.Store
	at, done int
}

var errFaulty = errors.New("the database is away")

func (f *faulty) fails() error {
	if f.done++; f.done == f.at {
		return errFaulty
	}
	return nil
}

func (f *faulty) FactorsOf(ctx context.Context, id string) ([]factor.Factor, error) {
	all, err := f.Store.FactorsOf(ctx, id)
	return all, errors.Join(err, f.fails())
}

func (f *faulty) UseFactor(ctx context.Context, id string, step int64, at time.Time) (bool, error) {
	won, err := f.Store.UseFactor(ctx, id, step, at)
	return won, errors.Join(err, f.fails())
}

func (f *faulty) DeleteRecoveryCodes(ctx context.Context, id string) error {
	return errors.Join(f.Store.DeleteRecoveryCodes(ctx, id), f.fails())
}

func (f *faulty) InsertRecoveryCode(ctx context.Context, c factor.RecoveryCode) (bool, error) {
	first, err := f.Store.InsertRecoveryCode(ctx, c)
	return first, errors.Join(err, f.fails())
}

func (f *faulty) UseRecoveryCode(ctx context.Context, id, selector string) (bool, error) {
	won, err := f.Store.UseRecoveryCode(ctx, id, selector)
	return won, errors.Join(err, f.fails())
}

// Whichever operation of the database fails, no code counts and no set is half stored.
func TestKeeper_Failures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, codes := factor.NewSecret(), factor.NewCodes()[:2]
	if err := b.add(s, s.At(b.clock.Now())); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(factor.Period * time.Second)
	for name, call := range map[string]func(tx factor.Store) error{
		"Add": func(tx factor.Store) error {
			one := factor.NewSecret()
			_, err := b.Add(t.Context(), tx, "mara", one, one.At(b.clock.Now()))
			return err
		},
		"Use": func(tx factor.Store) error {
			_, err := b.Use(t.Context(), tx, "mara", s.At(b.clock.Now()))
			return err
		},
		"Replace": func(tx factor.Store) error { return b.Replace(t.Context(), tx, "mara", codes, []string{"a", "b"}) },
		"Spend": func(tx factor.Store) error {
			return b.Spend(t.Context(), tx, factor.RecoveryCode{AccountID: "mara", Selector: codes[0][:factor.SelectorLength]})
		},
	} {
		for at := 1; ; at++ {
			f := &faulty{at: at}
			err := b.write(func(tx factor.Store) error {
				f.Store, f.done = tx, 0
				return errors.Join(call(f), context.Canceled) // nothing is kept
			})
			if f.done < at {
				break // it has fewer operations
			}
			if !errors.Is(err, errFaulty) {
				t.Errorf("%s, failure %d: %v", name, at, err)
			}
		}
	}
	other := factor.NewKeeper(secret.NewKey(), b.clock)
	if err := b.write(func(tx factor.Store) error {
		_, err := other.Use(t.Context(), tx, "mara", s.At(b.clock.Now()))
		return err
	}); err == nil || errors.Is(err, factor.Wrong) {
		t.Errorf("a secret that the master key does not open: %v", err)
	}
}
