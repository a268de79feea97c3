package faults

import (
	"path/filepath"
	"testing"
	"time"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// Nodes are replaced one after the other by nodes of the next version, which
// changes the schema under the others. No request fails.
func TestFLT11_RollingUpgrade(t *testing.T) {
	announce(t)
	t.Parallel()
	t.Run("to a version with one more migration", func(t *testing.T) {
		t.Parallel()
		rollingUpgrade(t, binary, nextVersion(t), true)
	})
	if full() {
		t.Run("from the version before the last migration", func(t *testing.T) {
			t.Parallel()
			rollingUpgrade(t, versionBefore(t), binary, false)
		})
	}
}

// rollingUpgrade replaces two nodes, one after the other, under load. Every
// request must succeed. If the migration changes tables that are in use, it has
// to wait for a dump of them.
func rollingUpgrade(t *testing.T, old, next string, dumped bool) {
	p := onEmptyPostgres(t)
	c := newCluster(t, p, 2)
	first, second := c.nodes[0].serveAs(old), c.nodes[1].serveAs(old)
	before := c.schema()
	l := c.beginLoad()
	defer l.end()
	resident := c.browser()
	resident.register(fresh("resident"))
	early := c.nodes[1].begun()

	l.goesOn(time.Duration(rounds(0, 60)) * time.Second)
	first.stop()
	dump := func() {}
	if dumped {
		dump = l.dump().Wait
	}
	c.nodes[0].serveAs(next)
	dump()
	if after := c.schema(); after <= before {
		t.Errorf("the schema is %d, and was %d before: nothing was migrated", after, before)
	}
	early.finish(c.nodes[0])
	c.nodes[0].begun().finish(c.nodes[1]) // begun on the next version
	l.goesOn(time.Duration(rounds(0, 600)) * time.Second)
	if !second.alive() {
		t.Fatalf("the old version has ended beside the next:\n%s", second.log)
	}

	late := c.nodes[1].begun()
	second.stop()
	c.nodes[1].serveAs(next)
	late.finish(c.nodes[0])
	l.goesOn(time.Duration(rounds(0, 60)) * time.Second)
	if !resident.whoami() {
		t.Error("a user who was signed in before is signed out")
	}
	l.end()

	if !eventually(testform.Patience, func() bool { return p.count(`SELECT COUNT(*) FROM outbox`) == 0 }) {
		t.Error("emails are left")
	}
	most, which := p.mail.repeats()
	if most > 1 {
		t.Errorf("an email came %d times: %s", most, which)
	}
	p.once()
	t.Logf("FLT-11: schema %d to %d under load: %d requests of %d journeys, %d failed, %d sent to a second node by the balancer; %d emails, each once",
		before, c.schema(), l.requests.Load(), l.journeys.Load(), l.failed.Load(), c.front.again.Load(), len(p.mail.all()))
}

// onEmptyPostgres returns an installation whose database has no schema yet.
func onEmptyPostgres(t *testing.T) *onPostgres {
	t.Helper()
	p := &onPostgres{past: pgtest.Plain(pgtest.Empty(t))}
	database := p.past + "&pool_max_conns=8"
	if !full() {
		database = pgtest.Patient(database)
	}
	p.place = newPlace(t, newSink(t), "PORTICO_DATABASE_URL="+database)
	if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
		t.Fatal(err)
	}
	return p
}

// schema returns the version of the schema.
func (c *cluster) schema() int { return c.count(`SELECT MAX(version_id) FROM schema_version`) }

// pending holds flows that are not finished: a registration whose code has
// come, one whose link has come, and a recovery.
type pending struct {
	coder, linked, lost *browser
	codes               map[*browser]map[string]string // the body for verify-code
	token               string
}

func (p *place) begun() *pending {
	p.Helper()
	b := &pending{coder: p.browser(), linked: p.browser(), lost: p.browser(), codes: map[*browser]map[string]string{}}
	coded, linked, lost := fresh("coded"), fresh("linked"), fresh("lost")
	flow := b.coder.begin(coded)
	b.codes[b.coder] = map[string]string{"flow": flow, "code": p.mail.code(coded, 30*time.Second)}
	b.linked.begin(linked)
	b.token = p.mail.token(linked)
	b.codes[b.lost] = map[string]string{"flow": p.recovering(b.lost, lost), "code": p.mail.code(lost, 30*time.Second)}
	return b
}

// finish completes on one node the flows that began on another.
func (b *pending) finish(on *place) {
	on.Helper()
	for _, v := range []**browser{&b.coder, &b.linked, &b.lost} {
		moved := on.browser()
		moved.cookies = (*v).cookies
		b.codes[moved] = b.codes[*v]
		*v = moved
	}
	b.coder.must("verify-code", b.codes[b.coder])
	if _, err := b.linked.do("GET", "/auth/confirm-link?token="+b.token, nil); err != nil {
		on.Error(err)
	}
	b.linked.must("confirm-link", map[string]string{})
	b.lost.must("verify-code", b.codes[b.lost])
	if wrong := b.lost.resets("", b.codes[b.lost]["flow"]); wrong != "" {
		on.Error(wrong)
	}
	for _, v := range []*browser{b.coder, b.linked, b.lost} {
		if !v.whoami() {
			on.Error("a step that was begun before the upgrade does not sign in")
		}
	}
}
