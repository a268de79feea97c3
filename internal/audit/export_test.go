package audit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
)

func written(t *testing.T, format audit.Format, facts ...audit.Fact) string {
	t.Helper()
	var out bytes.Buffer
	w := audit.NewWriter(&out, format)
	for _, f := range facts {
		if err := w.Write(f, "=HR import", "password"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWriter_Forms(t *testing.T) {
	t.Parallel()
	f := audit.Fact{ID: "i", At: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Name: audit.SignedIn, AccountID: "a", Actor: "self", Peer: "192.0.2.0/24", UserAgent: `a "b", c`, RequestID: "r", Detail: "password"}
	const head = "id,at,name,account_id,actor,network,user_agent,request_id,detail,words,made_by,about\n"
	if got := written(t, audit.CSV); got != head {
		t.Errorf("an empty table is %q", got)
	}
	if got, want := written(t, audit.CSV, f), head+`i,2026-01-02T03:04:05.000006Z,signed_in,a,self,192.0.2.0/24,"a ""b"", c",r,password,Signed in,'=HR import,password`+"\n"; got != want {
		t.Errorf("the table is %q, want %q", got, want)
	}
	var line map[string]string
	if err := json.Unmarshal([]byte(written(t, audit.JSONLines, f)), &line); err != nil || line["network"] != "192.0.2.0/24" || line["at"] != "2026-01-02T03:04:05.000006Z" || line["made_by"] != "=HR import" || line["about"] != "password" {
		t.Errorf("the line is %v (%v)", line, err)
	}
}

// No cell of a table begins as a formula does, also after a field separator or a line
// break inside of it.
func TestWriter_NoFormulas(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} {
		f := audit.Fact{UserAgent: begin + `cmd|'/c calc'!A1`, Detail: begin, Peer: begin, Actor: begin}
		rows, err := csv.NewReader(strings.NewReader(written(t, audit.CSV, f))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %d rows (%v)", begin, len(rows), err)
		}
		for n, cell := range rows[1] {
			if strings.HasPrefix(cell, begin) {
				t.Errorf("%q: the cell %d is %q", begin, n, cell)
			}
		}
	}
}
