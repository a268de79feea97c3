package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/secret"
	"portico/internal/testform"
)

// A server is recovered to a point in time. The doctor notices that, and a start tells it,
// until the documented command has turned off what would happen again.
func TestFLT13_PointInTime(t *testing.T) {
	announce(t)
	t.Parallel()
	if os.Getenv("POSTGRES_BIN") == "" {
		t.Skip("there is no PostgreSQL: run it as 'tools/postgres run -- go test ...', as 'make ci' does")
	}
	h := newHousehold(t)
	archive := h.path("archive")
	a, b := &follower{household: h, name: "a", port: h.port()}, &follower{household: h, name: "b", port: h.port()}
	h.do("mkdir", archive)
	h.do(bin("initdb"), "--pgdata=a", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	h.write("a/postgresql.conf", strings.Join([]string{"listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", "fsync = off",
		"dynamic_shared_memory_type = mmap", "shared_buffers = 32MB", "archive_mode = on", "archive_command = 'cp %p " + archive + "/%f'", ""}, "\n"))
	a.up()
	a.exec("postgres", "CREATE DATABASE portico")

	p := newPlace(t, newSink(t), "PORTICO_DATABASE_URL="+a.url("portico"))
	if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
		t.Fatal(err)
	}
	r := p.serve()
	known := p.registered()
	h.do(bin("pg_basebackup"), "--pgdata=b", "--host=127.0.0.1", "--port="+a.port, "--username=postgres", "--checkpoint=fast", "--no-sync")
	stale, pending := p.browser(), fresh("pending")
	step := map[string]string{"flow": stale.begin(pending)}
	step["code"] = p.mail.code(pending, 30*time.Second)
	point := a.exec("postgres", "SELECT clock_timestamp()::text").(string)
	stale.must("verify-code", step) // and so used after the point in time
	if out := p.command("doctor"); strings.Contains(out, "finish-restore") {
		t.Errorf("before: %s", out)
	}
	r.stop()
	a.exec("postgres", "SELECT pg_switch_wal()")
	a.end(syscall.SIGINT)

	h.write("b/recovery.signal", "")
	h.write("b/postgresql.auto.conf", fmt.Sprintf("restore_command = 'cp %s/%%f %%p'\nrecovery_target_time = '%s'\nrecovery_target_action = promote\narchive_mode = off\n", archive, point))
	b.up()
	if !eventually(time.Minute, func() bool { return b.exec("postgres", "SELECT pg_is_in_recovery()") == false }) {
		t.Fatal("the recovery does not end")
	}
	m := *p
	m.extra = []string{"PORTICO_DATABASE_URL=" + b.url("portico")}
	if out := m.command("doctor"); !strings.Contains(out, "failed\tdatabase\t") || !strings.Contains(out, "finish-restore") {
		t.Errorf("the doctor does not notice it: %s", out)
	}
	r = m.serve()
	if !eventually(testform.Patience, func() bool { return strings.Contains(r.log.String(), "finish-restore") }) { // it is read beside the test
		t.Errorf("the start does not tell it: %s", r.log)
	}
	if out := m.command("finish-restore"); !strings.Contains(out, "serves this database: stop every node first") {
		t.Errorf("beside a node it says %s", out)
	}
	r.kill() // its row stays, like the row of the node from before the point in time
	if out := m.command("finish-restore"); !strings.Contains(out, "finished\tnodes may start") {
		t.Errorf("it says %s", out)
	}
	if out := m.command("finish-restore"); !strings.Contains(out, "nothing to do") {
		t.Errorf("the second time it says %s", out)
	}
	if out := m.command("doctor"); strings.Contains(out, "failed\tdatabase") {
		t.Errorf("afterwards: %s", out)
	}
	m.serve()
	again := m.browser()
	again.cookies = stale.cookies
	if answer, err := again.post("verify-code", step); err != nil || answer.status == 200 {
		t.Errorf("a code works that was used after the point in time: %v %d", err, answer.status)
	}
	m.journey(known)
}
