package faults

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
)

// Steps of users take no longer with a million accounts on SQLite than with ten
// thousand. On PostgreSQL the same holds for ten million accounts, thirty
// million sessions and a hundred million audit records. An operator finds an
// account at once, a purge blocks no write, and no large table is read
// completely. The plans in the contract of the store check the last point for
// every statement. If the disk is too small, the test loads fewer rows.
func TestFLT23_Scale(t *testing.T) {
	announce(t)
	measures(t)
	t.Run("sqlite", func(t *testing.T) {
		place := func(people int) side {
			p := newPlace(t, newSink(t))
			p.populate(people)
			return side{p, population{people, people, 2 * people}}
		}
		small, large := place(rounds(100, 10_000)), place(rounds(5_000, 1_000_000))
		scales(small, large)
		purgeDoesNotBlock(t, "sqlite:"+large.databaseFile())
	})
	t.Run("postgres", func(t *testing.T) {
		place := func(url string, c population) side {
			p := newPlace(t, newSink(t), "PORTICO_DATABASE_URL="+url)
			if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
				t.Fatal(err)
			}
			p.gather(url, c)
			return side{p, c}
		}
		url, folder := pgtest.OnDisk(t)
		many := populationOf(5_000)
		if full() {
			many = largest(t, folder)
		}
		near, _ := pgtest.OnDisk(t)
		small, large := place(near, populationOf(rounds(100, 10_000))), place(url, many)
		large.bytes(url, many)
		large.warm(url)
		before := large.readWhole(url)
		scales(small, large)
		large.findsUsers()
		if after := large.readWhole(url); after != before {
			t.Errorf("large tables were read whole: %s before, %s after", before, after)
		}
		purgeDoesNotBlock(t, url)
	})
}

// side is one of the two compared installations.
type side struct {
	*place
	population
}

// somebody returns the address of user n.
func (s side) somebody(n int) string {
	return fmt.Sprintf("person%d@x.test", 1+n*7919%s.accounts)
}

// cookie returns the token of a valid session for n. None of the newer half has
// expired.
func (s side) cookie(n int) string { return token(s.sessions - n*7919%(s.sessions/2)) }

// blocks is the number of parts in which samples are judged. A short
// disturbance then affects only one part.
const blocks = 5

// scales compares the times of two installations.
func scales(small, large side) {
	t := large.T
	t.Helper()
	a, b := small.serve(), large.serve()
	defer a.stop()
	defer b.stop()
	check := func(s side, token string) (answer, error) { // each check queries the database
		b := s.browser()
		defer b.close()
		b.cookies["portico-session"] = token
		return b.do("GET", "/auth/api/session", nil)
	}
	for _, op := range []struct {
		name string
		most int // the number of samples; hashing takes long
		want int
		do   func(s side, n int) (answer, error)
	}{
		{"sign-in", rounds(8, 1500), http.StatusOK, func(s side, n int) (answer, error) {
			b := s.browser()
			defer b.close()
			return b.post("signin", map[string]string{"email": s.somebody(n), "password": good})
		}},
		{"forgot", rounds(30, 3000), http.StatusOK, func(s side, n int) (answer, error) {
			b := s.browser()
			defer b.close()
			return b.post("forgot-password", map[string]string{"email": s.somebody(n)})
		}},
		{"whoami that the node has not seen", rounds(100, 5000), http.StatusOK, func(s side, n int) (answer, error) {
			return check(s, s.cookie(n))
		}},
		{"whoami of a stranger", rounds(100, 5000), http.StatusUnauthorized, func(s side, n int) (answer, error) {
			hash := sha256.Sum256(fmt.Append(nil, n))
			return check(s, base64.RawURLEncoding.EncodeToString(hash[:]))
		}},
	} {
		times := map[*place][]time.Duration{}
		for n := range op.most { // one after the other, so that both sides share the machine equally
			for _, s := range []side{small, large} {
				began := time.Now()
				a, err := op.do(s, n)
				times[s.place] = append(times[s.place], time.Since(began))
				if err != nil || a.status != op.want {
					t.Fatalf("%s with %d accounts: %v %d %s", op.name, s.accounts, err, a.status, a.body)
				}
			}
		}
		few, many := times[small.place], times[large.place]
		ratio := tails(many, few)
		t.Logf("FLT-23: %s: %d accounts p50 %v p99 %v, %d accounts p50 %v p99 %v; p99 grows %.2f times (median of %d parts)", op.name,
			small.accounts, percentile(few, 50), percentile(few, 99), large.accounts, percentile(many, 50), percentile(many, 99), ratio, blocks)
		if full() && ratio > 1.5 {
			t.Errorf("%s: p99 grows %.2f times", op.name, ratio)
		}
	}
}

// tails returns the median, over the parts, of p99 of a divided by p99 of b.
func tails(a, b []time.Duration) float64 {
	var all []float64
	for part := range blocks {
		from, to := part*len(a)/blocks, (part+1)*len(a)/blocks
		all = append(all, percentile(a[from:to], 99).Seconds()/percentile(b[from:to], 99).Seconds())
	}
	return slices.Sorted(slices.Values(all))[blocks/2]
}
