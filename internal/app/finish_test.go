package app

import (
	"testing"

	"portico/internal/flow"
	"portico/internal/store"
)

// FinishRestore turns off once what would happen again, and only in a database that was
// restored. The doctor's question has the same answer.
func TestFinishRestore(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	defer a.end(t)
	if err := a.noteLineage(t.Context()); err != nil {
		t.Fatal(err)
	}
	finish := func(options FinishOptions, done bool, mails int64) {
		t.Helper()
		f, err := a.FinishRestore(t.Context(), options, func(string) {})
		if err != nil || f.Done != done || f.Mails != mails {
			t.Errorf("%+v, %v; want %v with %d emails", f, err, done, mails)
		}
		if open, err := Unfinished(t.Context(), a.Store); open || err != nil {
			t.Errorf("it is not finished (%v)", err)
		}
	}
	comesFromACopy := func() {
		t.Helper()
		err := a.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.KeepLineage(t.Context(), "another copy") })
		if err != nil {
			t.Fatal(err)
		}
		if open, err := Unfinished(t.Context(), a.Store); !open || err != nil {
			t.Errorf("the copy is not noticed (%v)", err)
		}
		if err := a.noteLineage(t.Context()); err != nil { // a start does not make it good
			t.Fatal(err)
		}
	}
	began := func() {
		t.Helper()
		_, err := a.Flows.SignUp(t.Context(), flow.Caller{Peer: "192.0.2.1", Locale: "en"}, flow.SignUpInput{Email: "v@example.org", Password: good, Confirm: good})
		if err != nil {
			t.Fatal(err)
		}
	}

	began()
	finish(FinishOptions{}, false, 0)
	comesFromACopy()
	finish(FinishOptions{NothingLost: true}, true, 0)
	comesFromACopy()
	finish(FinishOptions{}, true, 1)
	finish(FinishOptions{}, false, 0)
	finish(FinishOptions{Force: true}, true, 0)
}
