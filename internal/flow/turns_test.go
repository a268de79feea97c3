package flow_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"portico/internal/flow"
	"portico/internal/store/sqlitetest"
)

// stalled is a file that stops to come until its test goes on.
type stalled struct{ came, goes chan struct{} }

func (s stalled) Read([]byte) (int, error) {
	s.came <- struct{}{}
	<-s.goes
	return 0, io.EOF
}

// SEC-451: an admin or a key has one file read at a time, and a node reads few. Whoever sends a file slowly hinders nobody else.
func TestImportJob_OneFileOfEach(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	by := []flow.Actor{d.by()}
	for range 3 {
		_, key := d.key()
		by = append(by, key)
	}
	s, ended := stalled{make(chan struct{}), make(chan struct{})}, make(chan error)
	drafts := make([]string, len(by))
	reads := func(i int, file io.Reader) error {
		_, err := d.Operator.ReadImport(d.Context(), by[i], drafts[i], file)
		return err
	}
	for i := range by {
		draft, err := d.Operator.OpenImport(d.Context(), by[i], flow.ImportOrder{From: "portico"})
		if err != nil {
			t.Fatal(err)
		}
		drafts[i] = draft.ID
	}
	for i := range 3 {
		go func() { ended <- reads(i, s) }()
		<-s.came
		if err := reads(i, strings.NewReader("")); !errors.Is(err, flow.ImportBusy) {
			t.Errorf("a second file of %d: %v", i, err)
		}
	}
	if err := reads(3, strings.NewReader("")); !errors.Is(err, flow.ImportBusy) {
		t.Errorf("the fourth file: %v", err)
	}
	close(s.goes)
	go func() {
		for range s.came {
		}
	}()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	for i := range by {
		if err := reads(i, s); err != nil {
			t.Errorf("afterwards: %d: %v", i, err)
		}
	}
	close(s.came)
}
