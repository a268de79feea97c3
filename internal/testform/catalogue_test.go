package testform

import (
	"slices"
	"testing"
)

func TestCatalogue_Broken(t *testing.T) {
	test := func(name string) string { return "func Test" + name + "(t *testing.T) {\n\tannounce(t)\n}\n" }
	c := Catalogue{
		"code": {"SEC-025": "Code.", "SEC-041": "Random.", "SEC-099": "Later."},
		"mail": {"SEC-007": "Mail.", "SEC-025": "Code again.", "SEC-098": "No test."},
	}
	got := c.broken(map[string]string{
		"code_a_test.go": test("SEC025_Once") + test("SEC007_Mailed") + test("SEC_New") + "func TestSEC041(t *testing.T) {\n\tt.Parallel()\n}\n",
		"mail_test.go":   test("SEC099_Early"),
	}, []string{"SEC-099", "SEC-100"})
	want := []string{
		"code_a_test.go: TestSEC007_Mailed belongs into a file mail_*_test.go, where the catalogue has its sentence",
		`code_a_test.go: TestSEC_New needs a sentence for "SEC" in the catalogue; the next free number is SEC-100`,
		"code_a_test.go: TestSEC041 must begin with announce(t)",
		"mail_test.go: TestSEC099_Early belongs into a file code_*_test.go, where the catalogue has its sentence",
		"SEC-025 has a sentence twice; the next free number is SEC-100",
		"SEC-098 has a sentence and no test",
		"SEC-099 has a test, so it is not untested",
		"SEC-100 has no sentence",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if one := (Catalogue{"": {"FLT-09": "Disk.", "Move": "Move."}}); len(one.broken(map[string]string{"disk_test.go": test("FLT09_Full") + test("Move_Killed")}, nil)) > 0 || one.next() != "FLT-10" {
		t.Errorf("a suite of one subject is broken, or has the wrong next number %s", one.next())
	}
}
