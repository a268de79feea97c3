package secret

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// raw returns the bytes of the current master key.
func raw(k *Key) []byte { return k.set.Load().masters[0].bytes }

// keyFile writes a key file with the given content and mode.
func keyFile(t *testing.T, content string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // independent of the umask
		t.Fatal(err)
	}
	return path
}

// known is the key in which every byte is its index.
func known() string {
	b := make([]byte, keySize)
	for i := range b {
		b[i] = byte(i)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestReadKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content string
		mode    fs.FileMode
		refused string
	}{
		"as it is made":      {known() + "\n", 0o600, ""},
		"as editors save it": {"\ufeff " + known() + "\u200b\u00a0\r\n\r\n", 0o600, ""},
		"read-only":          {known(), 0o400, ""},
		"with blank lines":   {"\n " + known() + "\r\n\n", 0o600, ""},
		"group may read":     {known(), 0o640, "chmod 600"},
		"all may read":       {known(), 0o604, "chmod 600"},
		"group may write":    {known(), 0o620, "chmod 600"},
		"all may run":        {known(), 0o601, "chmod 600"},
		"empty":              {"", 0o600, "is empty: restore it from your backup; if no database has used it yet, delete it"},
		"31 bytes":           {base64.StdEncoding.EncodeToString(make([]byte, 31)), 0o600, "32 bytes in base64"},
		"33 bytes":           {base64.StdEncoding.EncodeToString(make([]byte, 33)), 0o600, "32 bytes in base64"},
		"not base64":         {strings.Repeat("ab ", 15), 0o600, "32 bytes in base64"},
		"cut short":          {known()[:40], 0o600, "32 bytes in base64"},
		"two keys":           {known() + "\n" + known() + "\n", 0o600, "32 bytes in base64"},
		"hexadecimal":        {strings.Repeat("0f", 32), 0o600, "32 bytes in base64"},
		"the words of help":  {"paste your key here", 0o600, "32 bytes in base64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := keyFile(t, tt.content, tt.mode)
			key, err := ReadKey(path)
			switch {
			case tt.refused == "" && (err != nil || len(raw(key)) != keySize || raw(key)[31] != 31):
				t.Errorf("the key was not read: %v", err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(err.Error(), path)):
				t.Errorf("the error is %v, want one with %q and the path", err, tt.refused)
			case err != nil && strings.Contains(err.Error(), known()[:10]):
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestReadKey_NoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := ReadKey(filepath.Join(folder, "no", "such.key")); !errors.Is(err, ErrNoKey) {
		t.Errorf("no file: %v, want ErrNoKey", err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKey(folder); err == nil || errors.Is(err, ErrNoKey) {
		t.Errorf("a folder: %v, want an error of its own", err)
	}
}

func TestCreateKey(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	path := filepath.Join(folder, "secret.key")
	key, err := CreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadKey(path)
	if err != nil || !Equal(raw(read), raw(key)) {
		t.Errorf("the file holds another key (%v)", err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, folder: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", name, info.Mode().Perm(), err, want)
		}
	}
	if _, err := CreateKey(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second key: %v, want fs.ErrExist", err)
	}
	if again, err := ReadKey(path); err != nil || !Equal(raw(again), raw(key)) {
		t.Errorf("the key was replaced (%v)", err)
	}
}

// Several processes start at the same time. One of them creates the key, and
// none reads half of it.
func TestCreateKey_OneOfMany(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret.key")
	var made atomic.Int64
	var group sync.WaitGroup
	start := make(chan struct{})
	for range 20 {
		group.Go(func() {
			<-start
			if _, err := CreateKey(path); err == nil {
				made.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
			if _, err := ReadKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	if made.Load() != 1 {
		t.Errorf("%d keys were made, want 1", made.Load())
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v (%v), want the key alone", files, err)
	}
}

// SEC-171: a key cannot be printed.
func TestKey_CannotBePrinted(t *testing.T) {
	t.Parallel()
	key, err := ReadKey(keyFile(t, known(), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	mac := key.MAC("printed")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%c", "%U"} {
		for what, printed := range map[string]any{"a key": key, "a key's value": *key, "a MAC": mac, "a MAC's value": *mac} {
			if got := fmt.Sprintf(verb, printed); got != "secret.Key" && got != "secret.MAC" {
				t.Errorf("%s prints %s as %s", verb, what, got)
			}
		}
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "key", key, "mac", mac)
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "key", key, "mac", mac)
	asJSON, _ := json.Marshal(map[string]any{"key": key, "mac": mac, "box": key.Box("printed")})
	for _, text := range []string{log.String(), string(asJSON)} {
		if strings.Contains(text, "1 2 3") || strings.Contains(text, known()[:10]) {
			t.Errorf("the key is in %s", text)
		}
	}
}

func TestNewKey_Random(t *testing.T) {
	t.Parallel()
	if a, b := NewKey(), NewKey(); Equal(raw(a), raw(b)) || Equal(raw(a), make([]byte, keySize)) {
		t.Error("two new keys are equal, or nothing")
	}
}
