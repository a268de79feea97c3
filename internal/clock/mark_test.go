package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMark(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := Here()
		time.Sleep(time.Minute)
		if age := m.Age(); age != time.Minute {
			t.Errorf("after a minute its age is %v", age)
		}
	})
	// The machine was suspended for an hour: only the time of day shows it.
	suspended := Mark{time.Now().Round(0).Add(-time.Hour)}
	if age := suspended.Age(); age < time.Hour {
		t.Errorf("after an hour its age is %v", age)
	}
}
