package place_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"portico/internal/place"
	"portico/internal/place/placetest"
)

func TestOf(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "places.mmdb")
	placetest.Write(t, path, "Test-City")
	d, err := place.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ network, locale, want string }{
		{"81.2.69.142/32", "en", "Berlin, Germany"},
		{"81.2.69.142/32", "de-AT", "Berlin, Deutschland"},
		{"81.2.69.142/32", "fr", "Berlin, Allemagne"}, // the city has no French name
		{"81.2.69.142/32", "ar", "Berlin, Germany"},
		{"2a02:8100:1:2::/64", "de", "Berlin, Deutschland"},
		{"81.2.70.1/32", "en", "Germany"},
		{"81.2.71.1/32", "de", "Singapur"},
		{"81.2.72.1/32", "en", "Nicosia"},
		{"81.2.73.1/32", "en", ""},
		{"2001:db8::/64", "en", ""},
		{"10.0.0.1/32", "en", ""},
		{"invalid Prefix", "en", ""},
		{"", "en", ""},
	} {
		if got := d.Of(c.network, c.locale); got != c.want {
			t.Errorf("%q in %s: %q, want %q", c.network, c.locale, got, c.want)
		}
	}
	if got := (*place.Database)(nil).Of("81.2.69.142/32", "en"); got != "" {
		t.Errorf("without a database: %q", got)
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "places.mmdb")
	if _, err := place.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	placetest.Write(t, path, "Test-ASN")
	if _, err := place.Open(path); !errors.Is(err, place.ErrKind) {
		t.Errorf("a database of something else: %v", err)
	}
	placetest.Write(t, path, "Test-City")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := place.Open(path); err == nil {
			t.Errorf("%d of %d bytes were taken for a database", n, len(whole))
		}
	}
}

// A damaged byte makes a file unusable or a place wrong, and ends no process. A file
// that is emptied after it was read changes nothing.
func TestOf_DamagedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "places.mmdb")
	placetest.Write(t, path, "Test-City")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	for i := 0; i < len(whole); i++ {
		damaged := append([]byte{}, whole...)
		damaged[i] ^= 0xff
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := place.Open(path)
		if err != nil {
			continue
		}
		opened++
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		d.Of("81.2.69.142/32", "en")
		d.Of("2a02:8100::/64", "de")
	}
	if opened == 0 {
		t.Error("no damaged file was opened: the test has tried nothing")
	}
}
