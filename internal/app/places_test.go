package app

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/place/placetest"
)

// A reload reads the database of places again and logs its name. It refuses a database
// that cannot be used, and the former one stays.
func TestReload_ReadsPlaces(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	cfg.Places = filepath.Join(t.TempDir(), "places.mmdb")
	placetest.Write(t, cfg.Places, "Test-City")
	a := open(t, cfg, Options{Dist: dist(), Load: func() (config.Config, error) { return cfg, nil }})
	r := run(t, a)
	for status := 0; status != http.StatusOK; { // a reload needs a server that serves
		status, _ = r.get(r.ops + "/readyz")
	}
	first := a.live.Load().places
	if result := a.Reload(t.Context()); len(result.Changed)+len(result.Problems) != 0 || a.live.Load().places != first {
		t.Errorf("nothing has changed: %+v", result)
	}
	placetest.Write(t, cfg.Places, "Test-Country")
	if result := a.Reload(t.Context()); !slices.Equal(result.Changed, []string{"places"}) || a.live.Load().places == first {
		t.Errorf("the file has changed: %+v", result)
	}
	second := a.live.Load().places
	placetest.Write(t, cfg.Places, "Test-ASN")
	if result := a.Reload(t.Context()); len(result.Problems) != 1 || !strings.Contains(result.Problems[0], "places: "+cfg.Places+" has neither cities nor countries: write the path of") {
		t.Errorf("another kind of database: %+v", result)
	}
	if err := os.Truncate(cfg.Places, 100); err != nil {
		t.Fatal(err)
	}
	if result := a.Reload(t.Context()); len(result.Problems) != 1 || !strings.Contains(result.Problems[0], "places: "+cfg.Places+" cannot be read as a MaxMind DB") {
		t.Errorf("a truncated file: %+v", result)
	}
	if now := a.live.Load().places; now != second || now.Of(placetest.Berlin+"/32", "en") != "Berlin, Germany" {
		t.Error("a refused reload has changed the places")
	}
	r.stop()
	if err := <-r.stopped; err != nil {
		t.Error(err)
	}
	a.end(t)
}
