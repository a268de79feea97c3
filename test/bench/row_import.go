package main

import (
	"bufio"
	"context"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/bcrypt"
)

const (
	mostImported = 1_000_000
	forMillion   = 5 * time.Minute
	mostBeside   = 1.5
)

// importPeople imports a file with passwords while the server answers session checks.
func importPeople(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	count := min(e.large(b.scale), mostImported)
	file, err := i.peopleFile(count)
	if err != nil {
		return nil, err
	}
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	ask := i.steadily(steadies()[0])
	var alone, beside []reading
	for turn := range b.rounds + 1 {
		r, err := ask(ctx, turn)
		if err != nil {
			return nil, err
		}
		if turn > 0 { // the first one fills the cache
			alone = append(alone, r)
		}
	}
	began := time.Now()
	command, err := start(ctx, filepath.Join(i.dir, "import.log"), i.environ(), i.binary, "user", "import", file)
	if err != nil {
		return nil, err
	}
	var peak float64
	for running(command) {
		if now, err := command.memory("VmHWM"); err == nil {
			peak = max(peak, now)
		}
		r, err := ask(ctx, 0)
		if err != nil {
			command.stop()
			return nil, err
		}
		beside = append(beside, r)
	}
	took := time.Since(began)
	if !command.cmd.ProcessState.Success() {
		return nil, command.failure()
	}
	usual := values(alone, waitOf).median
	return []figure{
		{name: fmt.Sprintf("%d people, checked and imported: of five minutes for a million", count), product: fmt.Sprintf("%.0f/s", float64(count)/took.Seconds()),
			value: spreadOf([]float64{took.Seconds() / forMillion.Seconds() * mostImported / float64(count)}), aim: 1},
		{name: "session check beside it, p99", product: millis(values(beside, waitOf)), limit: millis(values(alone, waitOf)),
			value: values(beside, func(r reading) float64 { return waitOf(r) / usual }), aim: mostBeside},
		{name: "peak memory of the import", value: spreadOf([]float64{peak}), unit: "MiB"},
	}, nil
}

func running(p *process) bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// peopleFile writes people as another system exports them. One in four has an authenticator app.
func (i *installation) peopleFile(count int) (name string, err error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(goodPassword), bcrypt.MinCost)
	if err != nil {
		return "", err
	}
	name = filepath.Join(i.dir, "people.jsonl")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	out := bufio.NewWriter(f)
	for n := range count {
		more := ""
		if n%4 == 0 {
			var secret [20]byte
			binary.BigEndian.PutUint64(secret[:], uint64(n))
			more = fmt.Sprintf(`, "roles": ["staff"], "totp": [{"secret": "%s"}]`, base32.StdEncoding.EncodeToString(secret[:]))
		}
		fmt.Fprintf(out, `{"email": "imported%d@bench.test", "email_verified": true, "name": "Person %d", "password": "%s", "created_at": "2020-05-06T07:08:09Z"%s}`+"\n", n, n, hash, more)
	}
	return name, errors.Join(out.Flush(), f.Close())
}
