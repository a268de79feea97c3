package store

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// contracting are the migrations during or after which the previous version cannot run,
// with the reason why that is harmless. A migration that removes something
// belongs here, once no running version can use it.
var contracting = map[string]string{
	"0017_events.sql":  "its indexes take a second for 200,000 events of webhooks",
	"0015_lane.sql":    "it replaces an index, which takes a third of a second for 100,000 messages that wait",
	"0016_senders.sql": "it adds an index, which takes half a second for 100,000 invitations",
	"0007_record.sql":  "it replaces a table by one with the same name and columns, to which the version before writes",
}

var (
	comment   = regexp.MustCompile(`--[^\n]*`)
	newTable  = regexp.MustCompile(`(?is)^CREATE TABLE (\w+) `)
	newIndex  = regexp.MustCompile(`(?is)^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+) `)
	newColumn = regexp.MustCompile(`(?is)^ALTER TABLE \w+ ADD COLUMN \w+ \w+(.*)$`)
	constant  = regexp.MustCompile(`(?i)\bDEFAULT ('[^']*'|-?\d+)`)
	condition = regexp.MustCompile(`(?i)\b(UNIQUE|REFERENCES|CHECK|PRIMARY|GENERATED|COLLATE)\b`)
)

// FLT-11: while nodes are upgraded one after the other, the older version runs
// on the newer schema. A migration only adds parts that the older version need
// not know.
func TestMigrations_OnlyExpand(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			t.Fatal(err)
		}
		why := contracts(string(text))
		_, known := contracting[strings.TrimPrefix(file, "migrations/")]
		if why != "" && !known {
			t.Errorf("%s: %s\nDo it in two versions: add first, take away when no version uses it anymore, and then name it above.", file, why)
		}
		if why == "" && known {
			t.Errorf("%s only expands: it need not be excepted", file)
		}
	}
}

// contracts returns the part of a migration that the older version cannot run
// with, or "".
func contracts(migration string) string {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	if strings.Contains(up, "+goose Statement") || strings.Contains(up, "+goose NO") || strings.Contains(up, "+goose ENV") {
		return "this test does not understand it"
	}
	made := map[string]bool{}
	for statement := range strings.SplitSeq(comment.ReplaceAllString(up, ""), ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if m := newTable.FindStringSubmatch(statement); m != nil {
			made[m[1]] = true
			continue
		}
		if m := newIndex.FindStringSubmatch(statement); m != nil {
			if !made[m[1]] {
				return "an index on a table that is in use keeps its writers waiting while it is built: " + statement
			}
			continue
		}
		column := newColumn.FindStringSubmatch(statement)
		switch {
		case statement == "":
		case column == nil || strings.Contains(column[1], ","):
			return "it does more than add: " + statement
		case condition.MatchString(column[1]):
			return "the version before does not keep this condition: " + statement
		case strings.Contains(strings.ToUpper(column[1]), "NOT NULL") && !constant.MatchString(column[1]):
			return "the version before does not fill this column: " + statement
		}
	}
	return ""
}

func TestContracts(t *testing.T) {
	t.Parallel()
	for migration, fine := range map[string]bool{
		"CREATE TABLE a (id TEXT NOT NULL PRIMARY KEY, b TEXT REFERENCES c (id)); CREATE UNIQUE INDEX i ON a (b);": true,
		"ALTER TABLE a ADD COLUMN b TEXT;":                                   true,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT ''; -- DROP it":    true,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT -1":              true,
		"ALTER TABLE a ADD COLUMN b TEXT;\n-- +goose Down\nDROP TABLE a;":    true,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL;":                        false,
		"alter table a\n  add column b bigint not null;":                     false,
		"ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT random();":       false,
		"ALTER TABLE a ADD COLUMN b TEXT UNIQUE;":                            false,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT 'x' CHECK (b<>'')": false,
		"ALTER TABLE a ADD COLUMN b TEXT, DROP COLUMN c;":                    false,
		"ALTER TABLE a DROP COLUMN b;":                                       false,
		"ALTER TABLE a RENAME COLUMN b TO c;":                                false,
		"ALTER TABLE a RENAME TO b;":                                         false,
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;":                         false,
		"ALTER TABLE a ALTER COLUMN b TYPE BIGINT;":                          false,
		"ALTER TABLE a ADD CONSTRAINT c UNIQUE (b);":                         false,
		"DROP TABLE a;":                  false,
		"DROP INDEX i;":                  false,
		"CREATE INDEX i ON session (b);": false,
		"UPDATE a SET b = 1;":            false,
		"DELETE FROM a;":                 false,
		"CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;": false,
		"-- +goose StatementBegin\nCREATE TABLE a (b TEXT);":      false,
	} {
		if why := contracts("-- +goose Up\n" + migration); (why == "") != fine {
			t.Errorf("%s: %q, want that it is fine: %v", migration, why, fine)
		}
	}
}
