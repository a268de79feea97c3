package budget_test

import (
	"context"
	"testing"
	"time"

	"portico/internal/budget"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	if budget.Of(t.Context()).Left(time.Second) != time.Second {
		t.Error("a caller without a budget must get the whole time")
	}
	ctx := context.WithValue(t.Context(), budget.Key{}, new(budget.Budget))
	budget.Of(ctx).Spend(600 * time.Millisecond)
	if left := budget.Of(ctx).Left(time.Second); left != 400*time.Millisecond {
		t.Errorf("after 600 ms of a second %v are left", left)
	}
	budget.Of(ctx).Spend(time.Minute)
	if left := budget.Of(ctx).Left(time.Second); left != 250*time.Millisecond {
		t.Errorf("when all is spent %v are left", left)
	}
	if left := budget.Of(ctx).Left(time.Millisecond); left != time.Millisecond {
		t.Errorf("of a millisecond %v are left", left)
	}
}
