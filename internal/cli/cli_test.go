package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"portico/internal/account"
	"portico/internal/passkey"
	"portico/internal/secret"
	"portico/internal/store"
)

// call runs a command in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = Run(t.Context(), Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// installed returns a database, and calls, which runs a command with it that must succeed, and returns what it prints.
func installed(t *testing.T) (calls func(args ...string) string, s *store.Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	calls = func(args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		environ := []string{"PORTICO_DATABASE_URL=sqlite:" + path, "PORTICO_SECRET_FILE=" + path + ".key"}
		if code := Run(t.Context(), Process{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		return out.String()
	}
	calls("migrate")
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return calls, s
}

func newParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := kong.New(&commands{}, kong.Name("portico"), kong.Vars{"presets": presetNames()})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// The help of every command contains an example.
func TestHelp_ShowsAnExample(t *testing.T) {
	t.Parallel()
	parser := newParser(t)
	leaves := parser.Model.Leaves(true)
	if len(leaves) < 15 {
		t.Fatalf("%d commands", len(leaves))
	}
	for _, leaf := range leaves {
		words := append(strings.Fields(leaf.FullPath())[1:], "--help")
		code, stdout, stderr := call(t, words...)
		_, example, shown := strings.Cut(stdout, "Example:\n")
		if code != 0 || stderr != "" || !shown || !strings.Contains(example, leaf.FullPath()) {
			t.Errorf("%s: exit code %d, no example of %s in\n%s%s", words, code, leaf.FullPath(), stdout, stderr)
		}
		if leaf.Help == "" || !strings.HasSuffix(leaf.Help, ".") {
			t.Errorf("%s has the help %q, want a sentence", leaf.FullPath(), leaf.Help)
		}
	}
}

// Each document that a help names is in a release.
func TestHelp_NamesDocuments(t *testing.T) {
	t.Parallel()
	parser := newParser(t)
	named := 0
	for _, leaf := range parser.Model.Leaves(false) {
		for _, name := range document.FindAllString(leaf.Detail, -1) {
			named++
			if _, err := os.Stat("../../" + name); err != nil {
				t.Errorf("%s: %v", leaf.FullPath(), err)
			}
		}
	}
	if named < 3 {
		t.Errorf("only %d names were found", named)
	}
}

// A command line of the documents is one that the parser takes.
func TestDocuments_HaveCommandsThatExist(t *testing.T) {
	t.Parallel()
	tried := 0
	err := filepath.WalkDir("../../docs", func(page string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(page) != ".md" {
			return err
		}
		text, err := os.ReadFile(page)
		for _, line := range commandLine.FindAllStringSubmatch(string(text), -1) {
			tried++
			var words []string
			for _, word := range shellWord.FindAllString(line[1], -1) {
				words = append(words, strings.Trim(word, `'"`))
			}
			if _, err := newParser(t).Parse(words); err != nil {
				t.Errorf("%s: portico %s: %v", page, line[1], err)
			}
		}
		return err
	})
	if err != nil || tried < 80 {
		t.Errorf("%d command lines were found, %v", tried, err)
	}
}

var (
	commandLine = regexp.MustCompile(`(?m)^[ ]*portico ([a-z].*?)(?: +[#|<>].*)?$`)
	shellWord   = regexp.MustCompile(`'[^']*'|"[^"]*"|(\$\(.*?\)|\S)+`)
)

// The help of a filter says that it leaves something out.
func TestHelp_OfFilters(t *testing.T) {
	t.Parallel()
	for _, leaf := range newParser(t).Model.Leaves(false) {
		for _, flag := range leaf.Flags {
			if leaf.Name == "list" && !slices.Contains([]string{"help", "config", "version", "json", "limit"}, flag.Name) && !strings.HasPrefix(flag.Help, "Only ") {
				t.Errorf("%s --%s: its help is %q, which does not begin with \"Only\"", leaf.Path(), flag.Name, flag.Help)
			}
		}
	}
}

// The output for scripts is one JSON document.
func TestJSON_WhereOutputIsData(t *testing.T) {
	t.Parallel()
	parser := newParser(t)
	data := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(false) {
		for _, flag := range leaf.Flags {
			data[leaf.Path()] = data[leaf.Path()] || flag.Name == "json"
		}
	}
	for _, path := range strings.Split("config show, user create, user list, mail list, migrate, version", ", ") {
		if !data[path] {
			t.Errorf("%s has no --json", path)
		}
	}
}

// The list continues after the first page, as one array that is printed as other JSON is.
func TestUserList_MoreThanAPage(t *testing.T) {
	t.Parallel()
	const people = 501
	calls, s := installed(t)
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		for n := range people {
			id := fmt.Sprint(n)
			if _, err := tx.InsertAccount(t.Context(), account.Account{ID: id, Address: account.Address{Mail: id, Key: id}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(flags string) string { return calls(strings.Fields("user list " + flags)...) }
	if n := strings.Count(run(""), "\n"); n != people {
		t.Errorf("%d lines, want %d", n, people)
	}
	for flags, want := range map[string]int{"--json": people, "--json --role none": 0} {
		text := run(flags)
		list := []json.RawMessage{}
		err := json.Unmarshal([]byte(text), &list)
		whole, _ := json.MarshalIndent(list, "", "  ")
		if err != nil || len(list) != want || string(whole)+"\n" != text {
			t.Errorf("%s: %d accounts, want %d, %v:\n%s", flags, len(list), want, err, text)
		}
	}
}

// config check says how many passkeys a new public_url has left behind, and needs no
// database.
func TestConfigCheck_LostPasskeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.db")
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err == nil {
		_, err = s.Migrate(t.Context())
	}
	if err == nil {
		err = s.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.InsertAccount(t.Context(), account.Account{ID: "0", Address: account.Address{Mail: "0", Key: "0"}}); err != nil {
				return err
			}
			_, err := tx.InsertPasskey(t.Context(), passkey.Passkey{ID: "p", AccountID: "0", Credential: []byte{1}, Host: "old.example.com"})
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := secret.CreateKey(path + ".key"); err != nil { // which PostgreSQL needs
		t.Fatal(err)
	}
	for _, test := range []struct{ database, public, want string }{
		{"sqlite:" + path, "https://login.example.com", "portico: warning: public_url: passkeys that were made for another host than login.example.com do not work (found 1): restore public_url"},
		{"sqlite:" + path, "https://old.example.com", ""},
		{"sqlite:" + path + ".missing", "https://login.example.com", ""},
		{"postgres://portico@127.0.0.1:1/portico?sslmode=disable", "https://login.example.com", ""},
	} {
		var out, errs strings.Builder
		code := Run(t.Context(), Process{
			Args: []string{"config", "check"}, Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(""),
			Environ: []string{
				"PORTICO_DATABASE_URL=" + test.database, "PORTICO_PUBLIC_URL=" + test.public, "PORTICO_SECRET_FILE=" + path + ".key",
				"PORTICO_SMTP_URL=smtp://mail.example.com", "PORTICO_MAIL_FROM=login@example.com",
			},
		})
		if code != 0 || out.String() != "the configuration is complete\n" || test.want == "" && strings.Contains(errs.String(), "passkeys") || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%s at %s: exit code %d\n%s%s", test.database, test.public, code, out.String(), errs.String())
		}
		if _, err := os.Stat(path + ".missing"); err == nil {
			t.Error("config check made a database")
		}
	}
}

// A password is one line without its line end. Other white space is kept.
func TestReadPassword(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"": "", "\n": "", "secret": "secret", "secret\n": "secret", "secret\r\n": "secret",
		" secret \n": " secret ", "first\nsecond\n": "first", "pässwörd\n": "pässwörd",
	} {
		s := session{Process: Process{Stdin: strings.NewReader(typed)}}
		if got, err := s.readPassword(); err != nil || got != want {
			t.Errorf("%q gives %q (%v), want %q", typed, got, err, want)
		}
	}
}
