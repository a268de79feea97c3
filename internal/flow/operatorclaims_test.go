package flow_test

import (
	"errors"
	"testing"

	"portico/internal/flow"
)

// A change of claims that says what they were does not undo another one.
func TestSetUserClaims_Meanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good)
	b.must(err)
	for _, c := range []struct {
		typed, before string
		want          error
	}{
		{`{"quota":5}`, "{}", nil},
		{`{"quota":6}`, "{}", flow.ClaimsChanged},
		{`{"quota":6}`, `{"quota":`, flow.ClaimsChanged},
		{`{"quota":6}`, "{\n \"quota\": 5\n}", nil},
		{`{"quota":6}`, `{"quota":5}`, nil}, // it is so already
		{"", "", nil},
	} {
		if err := b.Operator.SetUserClaims(t.Context(), flow.ByOperator, a.ID, c.typed, c.before); !errors.Is(err, c.want) {
			t.Errorf("%q after %q: %v, want %v", c.typed, c.before, err, c.want)
		}
	}
}
