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

// FLT-23: what people do takes no longer with a million accounts on SQLite, or
// ten million on PostgreSQL, than with ten thousand, and nobody waits for what
// is deleted. That no statement reads a whole table is held by the contract of
// the store, which asks both for the plan of each.
func TestFLT23_Scale(t *testing.T) {
	measures(t)
	t.Run("sqlite", func(t *testing.T) {
		small, large := newPlace(t, newSink(t)), newPlace(t, newSink(t))
		few, many := rounds(100, 10_000), rounds(5_000, 1_000_000)
		small.populate(few)
		large.populate(many)
		scales(small, few, large, many)
		purgeBlocksNobody(t, "sqlite:"+large.databaseFile())
	})
	t.Run("postgres", func(t *testing.T) {
		place := func(people int) (*place, string) {
			url := pgtest.Migrated(t)
			p := newPlace(t, newSink(t), "PORTICO_DATABASE_URL="+url)
			if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
				t.Fatal(err)
			}
			p.populatePostgres(url, people)
			return p, url
		}
		few, many := rounds(100, 10_000), rounds(5_000, 10_000_000)
		small, _ := place(few)
		large, url := place(many)
		scales(small, few, large, many)
		purgeBlocksNobody(t, url)
	})
}

// blocks is in how many parts samples are judged: the tail of one disturbed
// moment is in one of them.
const blocks = 5

// scales compares the times of two installations.
func scales(small *place, few int, large *place, many int) {
	t := large.T
	t.Helper()
	a, b := small.serve(), large.serve()
	defer a.stop()
	defer b.stop()
	sizes := map[*place]int{small: few, large: many}
	for _, op := range []struct {
		name string
		most int // times; hashing takes long
		do   func(p *place, n int) (answer, error)
	}{
		{"sign-in", rounds(8, 1500), func(p *place, n int) (answer, error) {
			b := p.browser()
			defer b.close()
			return b.post("signin", map[string]string{"email": somebody(n, sizes[p]), "password": good})
		}},
		{"forgot", rounds(30, 3000), func(p *place, n int) (answer, error) {
			b := p.browser()
			defer b.close()
			return b.post("forgot-password", map[string]string{"email": somebody(n, sizes[p])})
		}},
		{"whoami of a stranger", rounds(100, 5000), func(p *place, n int) (answer, error) {
			b := p.browser() // each asks the database
			defer b.close()
			hash := sha256.Sum256(fmt.Append(nil, n))
			b.cookies["portico-session"] = base64.RawURLEncoding.EncodeToString(hash[:])
			return b.do("GET", "/auth/api/session", nil)
		}},
	} {
		times := map[*place][]time.Duration{}
		for n := range op.most { // one after the other, so that both have the same machine
			for _, p := range []*place{small, large} {
				began := time.Now()
				a, err := op.do(p, n)
				times[p] = append(times[p], time.Since(began))
				if err != nil || a.status >= 500 || op.name != "whoami of a stranger" && a.status != http.StatusOK {
					t.Fatalf("%s with %d accounts: %v %d %s", op.name, sizes[p], err, a.status, a.body)
				}
			}
		}
		ratio := tails(times[large], times[small])
		t.Logf("FLT-23: %s: %d accounts p50 %v p99 %v, %d accounts p50 %v p99 %v; p99 grows %.2f times (median of %d parts)", op.name,
			few, percentile(times[small], 50), percentile(times[small], 99), many, percentile(times[large], 50), percentile(times[large], 99), ratio, blocks)
		if full() && ratio > 1.5 {
			t.Errorf("%s: p99 grows %.2f times", op.name, ratio)
		}
	}
}

// tails is the median, over the parts, of the p99 of a by that of b.
func tails(a, b []time.Duration) float64 {
	var all []float64
	for part := range blocks {
		from, to := part*len(a)/blocks, (part+1)*len(a)/blocks
		all = append(all, percentile(a[from:to], 99).Seconds()/percentile(b[from:to], 99).Seconds())
	}
	return slices.Sorted(slices.Values(all))[blocks/2]
}

// somebody returns the address of one of those that populate has made, another
// one each time.
func somebody(n, people int) string { return fmt.Sprintf("person%d@x.test", 1+n*7919%people) }
