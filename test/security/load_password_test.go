package security

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
)

// accepts reports whether the account has the given password.
func (s *site) accepts(address, password string) bool {
	s.Helper()
	switch a := s.visitor().signIn(address, password); a.status {
	case 200:
		return true
	case 401, 422:
		return false
	default:
		s.Fatalf("a sign-in gets status %d %s", a.status, a.body)
		return false
	}
}

// phrase returns n characters that are on no password list.
func phrase(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString("qz" + strconv.Itoa(7919*i%1000) + "Vk")
	}
	return b.String()[:n]
}

func TestSEC174_LongPasswordsCountInFull(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	lengths := []int{64, 72, 73, 256}
	if full() {
		lengths = []int{64, 71, 72, 73, 80, 128, 200, 256}
	}
	for _, n := range lengths {
		address := fresh("v")
		chosen := phrase(n)
		s.operator(address, chosen)
		if !s.accepts(address, chosen) {
			t.Errorf("a password of %d characters is not accepted", n)
		}
		if s.accepts(address, chosen[:n-1]+"!") || s.accepts(address, chosen[:n-1]) || n < 256 && s.accepts(address, chosen+"x") {
			t.Errorf("the last of %d characters does not count", n)
		}
	}
	// A character of several bytes lies across the limit of bcrypt.
	border, address := phrase(71)+"\u00e9x", fresh("v")
	s.operator(address, border)
	if !s.accepts(address, border) || s.accepts(address, phrase(71)+"\u00e9y") || s.accepts(address, phrase(71)+"\u00e8x") {
		t.Error("the character across the 72nd byte does not count")
	}
	long := strings.Repeat("a", 50) + fresh("v")
	s.operator(long, phrase(80))
	if s.accepts(long, phrase(79)+"!") {
		t.Error("a long address takes the place of the password")
	}
}

func TestSEC177_PasswordsAreComparedAfterNFC(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	const composed, decomposed = "caf\u00e9 lantern seven hills", "cafe\u0301 lantern seven hills"
	s.operator(address, composed)
	if !s.accepts(address, decomposed) {
		t.Error("the decomposed form is another password")
	}
	ligature := fresh("v")
	s.operator(ligature, "\ufb01 lantern over seven hills")
	if s.accepts(ligature, "fi lantern over seven hills") {
		t.Error("a ligature is the same as its letters")
	}
	wide := fresh("v")
	s.operator(wide, "\uff41\uff42\uff43 lantern seven hills")
	if s.accepts(wide, "abc lantern seven hills") {
		t.Error("full-width letters are the same as ASCII")
	}
	// The limit counts characters, not bytes or UTF-16 units.
	v := s.visitor()
	for password, want := range map[string]string{strings.Repeat("\U0001f980", 7): "password.too_short", "e\u0301x" + strings.Repeat("\u0301", 3) + "y": "password.too_short"} {
		v.post("signup", object{"email": fresh("n"), "password": password, "confirm_password": password}).refused(422, want)
	}
	v.post("signup", object{"email": fresh("n"), "password": "\U0001f980\U0001f33b\U0001f9ed\U0001f6f6\U0001fa81\U0001f9c2\U0001f50b\U0001f9b4\U0001f34b", "confirm_password": "\U0001f980\U0001f33b\U0001f9ed\U0001f6f6\U0001fa81\U0001f9c2\U0001f50b\U0001f9b4\U0001f34b"}).must(200)
}

func TestSEC179_NothingIsTrimmed(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	const chosen = "  Copper lantern\tover  seven hills "
	s.operator(address, chosen)
	if !s.accepts(address, chosen) {
		t.Error("a password with blanks is not accepted as it is")
	}
	for _, not := range []string{strings.TrimSpace(chosen), strings.ToLower(chosen), strings.Join(strings.Fields(chosen), " "), chosen + " ", strings.ReplaceAll(chosen, "\t", " ")} {
		if s.accepts(address, not) {
			t.Errorf("%q is accepted as well", not)
		}
	}
	v := s.visitor()
	for _, body := range []object{
		{"email": address, "password": chosen + "\x00"}, {"email": address, "password": "\x00"}, {"email": address + "\x00", "password": chosen},
	} {
		if a := v.post("signin", body); a.status != 400 {
			t.Errorf("NUL gets status %d", a.status)
		}
	}
	blanks := strings.Repeat(" ", 15)
	if a := v.post("signup", object{"email": fresh("n"), "password": blanks, "confirm_password": blanks}); a.status != 422 {
		t.Errorf("blanks alone get status %d", a.status)
	}
}

func TestSEC180_KnownPasswordsAreRefusedEverywhere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, brand("Zephyr Works", ""))
	address := "marabella.lind@x.test"
	a := s.operator(address, good)
	v := s.visitor()
	recovery := v.forgot(address)
	v.verify(recovery, s.mail.next(address).code(t)).must(200)
	for _, password := range []string{
		"password123", "qwertyuiop", "iloveyou2", "Sunshine1", "12345678", "aaaaaaaaaa", "Portico2026!!!!!", "zephyrworks", "marabellalind", "Marabella.Lind1", "portico.test",
	} {
		for way, refusal := range map[string]func() string{
			"sign-up": func() string {
				return v.post("signup", object{"email": address, "password": password, "confirm_password": password}).code()
			},
			"recovery": func() string { return v.reset(recovery, password).code() },
			"form": func() string {
				a := v.form("/auth/signup", map[string][]string{"email": {address}, "password": {password}, "confirm_password": {password}})
				return map[bool]string{true: "password.refused", false: fmt.Sprint(a.status)}[a.status == 422]
			},
			"operator": func() string {
				return errorText(s.app.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, password))
			},
			"new account of an operator": func() string {
				_, err := s.app.Operator.CreateUser(t.Context(), flow.ByOperator, "marabella.lind+new@x.test", "", password)
				return errorText(err)
			},
		} {
			if got := refusal(); !strings.HasPrefix(got, "password.") && got != "invalid" {
				t.Errorf("%s: %q gets %s", way, password, got)
			}
		}
	}
	if !s.accepts(address, good) {
		t.Error("the password has changed")
	}
	v.reset(recovery, "quite another copper kettle").must(200)
}

func errorText(err error) string {
	if err == nil {
		return "accepted"
	}
	return err.Error()
}

func TestSEC181_HashParameters(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, costly)
	address, second := s.two()
	form := regexp.MustCompile(`^\$argon2id(?:-\w+)?\$v=19\$m=(\d+),t=(\d+),p=(\d+)(?:,[^$]*)?\$([^$]+)\$`)
	stored := func(address string) []string {
		t.Helper()
		var text string
		if err := s.database().QueryRow(`SELECT password FROM account WHERE address = $1`, address).Scan(&text); err != nil {
			t.Fatal(err)
		}
		found := form.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("the stored hash is %s", text)
		}
		return found
	}
	one, two := stored(address), stored(second)
	memory, _ := strconv.Atoi(one[1])
	passes, _ := strconv.Atoi(one[2])
	if memory < 19<<10 || passes < 2 || memory*passes < 2*19<<10 {
		t.Errorf("argon2id with %d KiB and %d passes is below the floor (OWASP: 19 MiB, 2)", memory, passes)
	}
	if one[4] == two[4] || len(one[4]) < 22 {
		t.Errorf("the salts are %s and %s", one[4], two[4])
	}
	// After a higher cost was set, only the next successful sign-in hashes
	// anew.
	s.config.Hashing = config.Hashing{MemoryMiB: 20, Passes: 3}
	s.restart()
	s.accepts(address, other)
	if stored(address)[2] != one[2] {
		t.Error("a wrong password has hashed anew")
	}
	if !s.accepts(address, good) || stored(address)[2] != "3" || stored(second)[2] != one[2] {
		t.Errorf("after the sign-in the hash has %s passes", stored(address)[2])
	}
	if !s.accepts(address, good) {
		t.Error("the new hash does not verify")
	}
	file := filepath.Join(t.TempDir(), "portico.toml")
	for settings, accepted := range map[string]bool{
		"memory_mib = 19\npasses = 2": true, "memory_mib = 18\npasses = 2": false, "memory_mib = 19\npasses = 1": false, "memory_mib = 1\npasses = 1": false,
	} {
		writeFile(t, file, "[hashing]\n"+settings)
		if _, err := config.Load(file, nil); (err == nil) != accepted {
			t.Errorf("with %q, Load returns %v", settings, err)
		}
	}
	if a, err := s.app.Operator.User(t.Context(), address); err != nil || a.State != account.Active {
		t.Error(err)
	}
}

// Each request below takes hashes, and changes nothing.
func TestSEC461_ChoicesAreCountedBeforeTheirHashes(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, address := s.signedIn()
	id, before := v.id(), s.app.Passwords.Stats().Finished
	chooses := func() *answer {
		return v.post("account/password", object{"account": id, "password": good, "confirm_password": good})
	}
	for range 40 {
		v.post("factors/codes", object{"account": id})
		chooses()
	}
	chooses().refused(429, "throttle.limited")
	if n := s.app.Passwords.Stats().Finished - before; n > 250 { // with the 41 times that the rule for new passwords has judged
		t.Errorf("the requests of one user took %d hashes", n)
	}
	// A recovery has a count of its own, and gives the other one back.
	flow := v.forgot(address)
	v.verify(flow, lastCode(s, s.mail, address)).must(200)
	for range 30 {
		v.reset(flow, good).must(422)
	}
	v.reset(flow, good).refused(429, "throttle.limited")
	flow = v.forgot(address)
	v.verify(flow, lastCode(s, s.mail, address)).must(200)
	v.reset(flow, other).must(200)
	v.post("account/password", object{"account": id, "password": third, "confirm_password": third}).must(200)
}
