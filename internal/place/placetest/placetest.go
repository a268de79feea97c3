// Package placetest writes small databases of places for tests.
package placetest

import (
	"net"
	"os"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// Berlin is an address that Write knows.
const Berlin = "81.2.69.142"

// Marked is an address whose city and country have marks that hide and turn text.
const Marked = "81.2.74.1"

// Write writes a database of a kind, such as "Test-City". It knows Berlin in English,
// German and French, 81.2.70.0/24 as Germany alone, 81.2.71.0/24 as Singapore,
// 81.2.72.0/24 as a city alone, and Berlin at 2a02:8100::/32.
func Write(t testing.TB, path, kind string) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: kind, BuildEpoch: 1, RecordSize: 24, Languages: []string{"en", "de", "fr"}})
	if err != nil {
		t.Fatal(err)
	}
	germany := named("Germany", "Deutschland", "Allemagne")
	berlin := mmdbtype.Map{"city": named("Berlin", "Berlin", ""), "country": germany}
	for network, record := range map[string]mmdbtype.Map{
		"81.2.69.0/24":   berlin,
		"2a02:8100::/32": berlin,
		"81.2.70.0/24":   {"country": germany},
		"81.2.71.0/24":   {"city": named("Singapore", "Singapur", ""), "country": named("Singapore", "Singapur", "")},
		"81.2.72.0/24":   {"city": named("Nicosia", "Nikosia", "")},
		"81.2.74.0/24":   {"city": named("Par\u202eis", "", ""), "country": named("Ecn\u200barf", "", "")},
	} {
		_, ip, err := net.ParseCIDR(network)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Insert(ip, record); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func named(en, de, fr string) mmdbtype.Map {
	names := mmdbtype.Map{}
	for tag, name := range map[mmdbtype.String]string{"en": en, "de": de, "fr": fr} {
		if name != "" {
			names[tag] = mmdbtype.String(name)
		}
	}
	return mmdbtype.Map{"names": names}
}
