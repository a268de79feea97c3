package security

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// again sends a change with an Idempotency-Key.
func (s *site) again(secret, key, target, body string) (*answer, error) {
	return s.visitor().try("POST", "/auth/api/admin/"+target, body, http.Header{
		"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}, "Idempotency-Key": {key},
	})
}

func TestSEC392_RepeatedRequestsChangeOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, secret := s.key(admin.id(), "people:read", "people:write", "record:read")
	_, stranger := s.key(admin.id(), "people:write")
	user := s.operator(fresh("u"), good)
	link := "people/" + user.ID + "/link"
	one := func(secret, key, target, body string) *answer {
		t.Helper()
		a, err := s.again(secret, key, target, body)
		s.must(err)
		return a
	}
	links := func() int {
		return s.count(`SELECT COUNT(*) FROM audit WHERE name = 'link_made' AND account_id = '` + user.ID + `'`)
	}
	// Twenty at once are one change. Each gets its answer, or is told to wait.
	var all sync.WaitGroup
	var lock sync.Mutex
	answers := map[string]int{}
	for range 20 {
		all.Go(func() {
			a, err := s.again(secret, `"many"`, link, `{}`)
			lock.Lock()
			defer lock.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case a.status == 409:
				if !strings.Contains(a.body, "idempotency.running") {
					t.Errorf("a second request gets %s", a.body)
				}
			default:
				answers[fmt.Sprint(a.status, a.body)]++
			}
		})
	}
	all.Wait()
	if len(answers) != 1 || links() != 1 {
		t.Errorf("20 requests make %d links: %v", links(), answers)
	}
	first := one(secret, "many", link, `{}`).must(200).body
	s.clock.Advance(time.Hour)
	if later := one(secret, "many", link, `{}`).must(200).body; later != first || links() != 1 {
		t.Errorf("an hour later the answer is %s, and %d links are made", later, links())
	}
	// Another request with the key is refused, also one about somebody else.
	one(secret, "many", link, `{ }`).refused(422, "idempotency.other")
	one(secret, "many", "people/"+admin.id()+"/link", `{}`).refused(422, "idempotency.other")
	for _, bad := range []string{"", `""`, "a b", `"a`, strings.Repeat("k", 256)} {
		one(secret, bad, link, `{}`).refused(422, "idempotency.key")
	}
	// Another program gets no answer that is not its own.
	one(stranger, "many", link, `{}`).must(200)
	if links() != 2 {
		t.Errorf("another program with the same text makes %d links, want 2", links())
	}
	// A refusal is not kept: the same request may succeed later.
	one(secret, "late", "people/"+flowID+"/link", `{}`).must(404)
	one(secret, "late", link, `{}`).must(200)
	s.clock.Advance(24 * time.Hour)
	one(secret, "many", link, `{}`).must(200)
	if links() != 4 {
		t.Errorf("a day later %d links are made, want 4", links())
	}
}

func TestSEC392_ProgramsAreLimited(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, secret := s.key(admin.id(), "people:read")
	_, other := s.key(admin.id(), "people:read")
	read := "GET /auth/api/admin/jobs"
	first := s.keyed(secret, read, "").must(200)
	if policy, left := first.header.Get("RateLimit-Policy"), first.header.Get("RateLimit"); policy != `"admin";q=600;w=60` || left != `"admin";r=599;t=60` {
		t.Errorf("the headers are %s and %s", policy, left)
	}
	for range 599 {
		s.keyed(secret, read, "").must(200)
	}
	s.clock.Advance(20 * time.Second)
	refused := s.keyed(secret, read, "").must(429)
	if refused.header.Get("Retry-After") != "40" || refused.header.Get("RateLimit") != `"admin";r=0;t=40` {
		t.Errorf("the refusal has %s and %s", refused.header.Get("Retry-After"), refused.header.Get("RateLimit"))
	}
	s.keyed(other, read, "").must(200)
	admin.get("/auth/api/admin/jobs").must(200)
	s.clock.Advance(40 * time.Second)
	s.keyed(secret, read, "").must(200)
}

// The row of a request has no secret. A second request learns that the answer is lost: an empty secret would pass for one.
func TestSEC392_RepeatedRequestsKeepNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	header := admin.ours("application/json")
	ends := s.clock.Now().Add(time.Hour).Format(time.RFC3339)
	for target, body := range map[string]string{
		"keys":             `{"name":"sync","scopes":["people:read"]}`,
		"invitations/link": `{"uses":"30","ends_at":"` + ends + `"}`,
	} {
		header.Set("Idempotency-Key", target)
		send := func() *answer { return admin.do("POST", "/auth/api/admin/"+target, body, header) }
		var made struct{ Secret, Link string }
		send().must(200).parse(&made)
		_, token, _ := strings.Cut(made.Link, "token=")
		secret := made.Secret + token
		if len(secret) < 40 {
			t.Fatalf("%s: the secret is %q", target, secret)
		}
		send().refused(409, "idempotency.lost")
		for table, rows := range s.rows() {
			if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, secret) }) {
				t.Errorf("%s: the table %s has the secret", target, table)
			}
		}
	}
}

// 5000 requests a day may have a key. A list of addresses can be 256 KiB, and six times that as JSON.
func TestSEC492_KeptAnswersAreSmall(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, key := s.key(admin.id(), "invitations:write")
	long := strings.Repeat("<", 250_000)
	for name, body := range map[string]string{"tried": `{"try":true,"addresses":"` + long + `"}`, "sent": `{"addresses":"` + long + `"}`} {
		a, err := s.again(key, name, "invitations", body)
		s.must(err)
		if a.must(200); !strings.Contains(a.body, "malformed") || len(a.body) > 1000 {
			t.Errorf("%s: the answer has %d bytes: %.200s", name, len(a.body), a.body)
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM once`); n != 1 {
		t.Errorf("%d answers are kept, want that of the change alone", n)
	}
}

// The body of a request can have the password of a person of a file.
func TestSEC473_RowsOfRequestsTellNoPassword(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	_, key := s.key(admin.id(), "import")
	const body = `{"known_email":"mara@example.org","known_password":"summer2024"}`
	var first, again sentFile
	for _, got := range []*sentFile{&first, &again} {
		a, err := s.again(key, "once", "imports", body)
		s.must(err)
		a.must(200).parse(got)
	}
	if first.ID == "" || first.ID != again.ID {
		t.Errorf("the imports are %q and %q", first.ID, again.ID)
	}
	var kept []byte
	s.must(s.database().QueryRow(`SELECT asked FROM once`).Scan(&kept))
	if guess := sha256.Sum256([]byte("POST " + importPath + "\n" + body)); bytes.Equal(kept, guess[:]) {
		t.Error("a guess can be compared with the row")
	}
}
