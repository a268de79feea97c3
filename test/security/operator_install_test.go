package security

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"portico/internal/app"
	"portico/internal/config"
)

// CI scans the modules for known defects. This test checks the toolchain and
// the build.
func TestSEC187_Toolchain(t *testing.T) {
	announce(t)
	t.Parallel()
	parts := strings.Split(strings.TrimPrefix(runtime.Version(), "go"), ".")
	number := 0
	for i := range 3 {
		n := 0
		if i < len(parts) {
			n, _ = strconv.Atoi(strings.SplitN(parts[i], "-", 2)[0])
		}
		number = number*1000 + n
	}
	if number < 1026006 {
		t.Errorf("%s lacks fixes of the standard library: 1.26.6 or newer is needed", runtime.Version())
	}
	if !full() {
		return
	}
	var builds [2][]byte
	for i := range builds {
		binary := filepath.Join(t.TempDir(), "portico")
		build := exec.Command("go", "build", "-trimpath", "-o", binary, "./cmd/portico")
		build.Dir = "../.."
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var err error
		if builds[i], err = os.ReadFile(binary); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(builds[0], builds[1]) {
		t.Error("two builds of the same source differ")
	}
}

// Not parallel: it changes the umask of the process.
func TestSEC188_FreshInstallSharesNothing(t *testing.T) {
	announce(t)
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	var keys []string
	for range 2 {
		s := start(t, nothingYet(t))
		key, err := os.ReadFile(s.config.SecretFile)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(key))
		private := []string{s.config.SecretFile}
		if s.onSQLite() {
			private = append(private, s.databaseFile(), s.databaseFile()+"-wal", s.databaseFile()+"-shm")
		}
		for _, name := range private {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o600 {
				t.Errorf("%s has the mode %o", filepath.Base(name), mode)
			}
		}
		if n := s.count(`SELECT COUNT(*) FROM account`); n != 0 {
			t.Errorf("a fresh installation has %d accounts", n)
		}
		for _, address := range []string{"admin@portico.test", "admin@example.com", "demo@example.com", "mara@example.com", "root@localhost.test"} {
			for _, password := range []string{"admin", "password", "portico", "demo", "changeme"} {
				if a := s.visitor().signIn(address, password); a.status == 200 {
					t.Errorf("%s with %s signs in", address, password)
				}
				s.clock.Advance(1 << 40)
			}
		}
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(string(key)))
		for where, text := range s.files() {
			for _, spelling := range []string{strings.TrimSpace(string(key)), string(raw), hex.EncodeToString(raw)} {
				if len(spelling) >= 16 && strings.Contains(text, spelling) {
					t.Errorf("%s holds the master key", where)
				}
			}
		}
	}
	if keys[0] == keys[1] || len(keys[0]) < 40 {
		t.Error("two installations have the same key, or a short one")
	}
	// A typed master key is refused, and so is a new one beside old data.
	s := start(t, nothingYet(t))
	s.stop()
	for name, change := range map[string]func(c *config.Config, file string){
		"a short key":              func(_ *config.Config, file string) { writeFile(t, file, "c2hvcnQ=\n") },
		"an empty key":             func(_ *config.Config, file string) { writeFile(t, file, "") },
		"a password as key":        func(_ *config.Config, file string) { writeFile(t, file, "changeme changeme changeme changeme\n") },
		"another key":              func(_ *config.Config, file string) { writeFile(t, file, keys[0]) },
		"no key beside a database": func(c *config.Config, file string) { c.SecretFile = file + ".gone" },
	} {
		cfg := s.config
		cfg.SecretFile = filepath.Join(t.TempDir(), "key")
		change(&cfg, cfg.SecretFile)
		if a, err := app.New(t.Context(), cfg, app.Options{}); err == nil {
			t.Errorf("it starts with %s", name)
			_ = a.Close()
		}
	}
}

func TestSEC190_ConcurrentSignUpGivesOneAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	for round := range rounds(2, 50) {
		s, p := startWithIDP(t, true)
		address := fresh("same")
		local, _, _ := strings.Cut(address, "@")
		spellings := []string{address, strings.ToUpper(local) + "@x.test", local + "@X.TEST"}
		workers := rounds(8, 30)
		visitors, answers := make([]*visitor, workers), make([]*answer, workers)
		for i := range visitors {
			visitors[i] = s.visitor()
		}
		var odd atomic.Int64
		atOnce(workers, func(i int) {
			v := visitors[i]
			a, err := v.try("POST", "/auth/api/signup", encode(object{"email": spellings[i%3], "password": good, "confirm_password": good}), v.ours("application/json"))
			if err != nil || a.status != 200 {
				odd.Add(1)
				return
			}
			answers[i] = a.keep()
		})
		if odd.Load() > 0 {
			t.Fatalf("%d registrations broke", odd.Load())
		}
		s.settle()
		codes := map[string]bool{}
		for _, l := range s.mail.all() {
			codes[l.code(t)] = true
		}
		if len(s.mail.all()) > 25 { // five an hour, and one more for each of twenty new networks
			t.Errorf("%d emails to one mailbox", len(s.mail.all()))
		}
		// All registrants redeem their codes at once, while a provider vouches
		// for the same address.
		w := s.visitor()
		answer := p.approve(w.leave("acme", nil))
		p.says(object{"email": address, "email_verified": true})
		list := slices.Collect(maps.Keys(codes))
		atOnce(workers+1, func(i int) {
			if i == workers {
				_, _ = w.try("GET", "/auth/provider/acme/callback?"+answer.Encode(), "", nil)
				return
			}
			for _, code := range list {
				a, err := visitors[i].try("POST", "/auth/api/verify-code", encode(object{"flow": answers[i].flow(), "code": code}), visitors[i].ours("application/json"))
				if err != nil || a.status >= 500 {
					odd.Add(1)
				}
			}
		})
		if n := s.count(`SELECT COUNT(*) FROM account`); n != 1 || odd.Load() > 0 {
			t.Errorf("round %d: %d accounts, %d answers broke", round, n, odd.Load())
		}
	}
	t.Logf("SEC-190: %d rounds", rounds(2, 50))
}
