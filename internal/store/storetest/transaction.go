package storetest

import (
	"errors"
	"fmt"

	"portico/internal/account"
	"portico/internal/store"
)

type transactions struct{ *bundle }

func (b transactions) Write_AllOrNothing() {
	failed := errors.New("the step fails")
	for name, end := range map[string]func() error{
		"an error": func() error { return failed },
		"a panic":  func() error { panic("a mistake") },
	} {
		err := b.store.Write(b.Context(), func(tx *store.Tx) error {
			if _, err := tx.InsertAccount(b.Context(), account.Account{ID: name}); err != nil {
				return err
			}
			return end()
		})
		if err == nil {
			b.Errorf("%s was no error of Write", name)
		}
		b.equal("what was written before "+name, b.account(name), account.Account{})
	}
	b.person(1) // the store still works
}

// The caller gets its own error back and can test it with errors.Is.
func (b transactions) Write_ReturnsTheError() {
	if err := b.store.Write(b.Context(), func(*store.Tx) error { return account.Exists }); !errors.Is(err, account.Exists) {
		b.Errorf("the error is %v, want %v", err, account.Exists)
	}
	if err := b.store.Read(b.Context(), func(*store.Tx) error { return account.Exists }); !errors.Is(err, account.Exists) {
		b.Errorf("the error of a read is %v, want %v", err, account.Exists)
	}
}

func (b transactions) Read_SeesWhatIsCommitted() {
	a := full[account.Account](1)
	written, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		<-written
		b.equal("what another transaction has not committed", b.account(a.ID), account.Account{})
	}()
	b.write(func(tx *store.Tx) error {
		_, err := tx.InsertAccount(b.Context(), a)
		close(written)
		<-looked
		return err
	})
	b.equal("what it has committed", b.account(a.ID), a)
}

func (b transactions) AfterCommit_SeesWhatIsKept() {
	var seen []account.Account
	look := func(a account.Account) func() {
		return func() { seen = append(seen, b.account(a.ID)) }
	}
	a, undone := full[account.Account](1), full[account.Account](2)
	b.write(func(tx *store.Tx) error {
		tx.AfterCommit(look(a))
		_, err := tx.InsertAccount(b.Context(), a)
		return err
	})
	b.fails("a step that fails", func(tx *store.Tx) error {
		tx.AfterCommit(look(undone))
		return errors.New("the step fails")
	})
	b.person(3) // no effect of the step before remains
	b.equal("what was seen after commits", seen, []account.Account{a})
}

func (b transactions) Ping_Answers() {
	if err := b.store.Ping(b.Context()); err != nil {
		b.Error(err)
	}
}

// Both engines refuse a text that one of them cannot store, so that every
// database can move.
func (b transactions) Write_TextThatCannotBeKept() {
	for _, text := range []string{"a\x00b", "\xff"} {
		b.fails(fmt.Sprintf("%q", text), func(tx *store.Tx) error {
			_, err := tx.TakeLease(b.Context(), "name", text, 0)
			return err
		})
	}
	b.write(func(tx *store.Tx) error { _, err := tx.TakeLease(b.Context(), "name", "ü\u2028", 0); return err })
}
