// Package place names the city and the country of a network, from a database that
// the operator supplies (MaxMind DB). Nothing is asked of another server.
//
// A place is a hint for people and decides nothing: databases are wrong about many
// networks, and a relay hides where a browser is.
package place

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"

	"github.com/oschwald/maxminddb-golang/v2"

	"portico/internal/file"
	"portico/internal/legible"
)

// maxFile is the size limit of a database, in bytes. The largest ones have a tenth of it.
const maxFile = 4 << 30

// ErrKind says that a database has no cities and no countries.
var ErrKind = errors.New("it has neither cities nor countries")

// Database is a database in memory. It is safe for concurrent use. A nil Database
// knows no place.
type Database struct {
	reader *maxminddb.Reader
	sum    string
}

// Open reads the whole file. A file that is mapped into memory would end the process
// when somebody shortens it.
func Open(path string) (*Database, error) {
	content, err := file.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	reader, err := maxminddb.OpenBytes(content)
	if err != nil {
		return nil, err
	}
	if kind := reader.Metadata.DatabaseType; !strings.Contains(kind, "City") && !strings.Contains(kind, "Country") && !strings.Contains(kind, "Enterprise") {
		return nil, ErrKind
	}
	sum := sha256.Sum256(content)
	return &Database{reader, hex.EncodeToString(sum[:])}, nil
}

// Sum returns a digest of the file, "" without one.
func (d *Database) Sum() string {
	if d == nil {
		return ""
	}
	return d.sum
}

// named is a city or a country, with its names by language.
type named struct {
	Names map[string]string `maxminddb:"names"`
}

// in returns the name in the language of a locale, else in English, else "".
func (n named) in(locale string) string {
	language, _, _ := strings.Cut(locale, "-")
	for _, tag := range []string{locale, language, "en"} {
		if name := legible.Clean(n.Names[tag]); name != "" {
			return name
		}
	}
	return ""
}

// Of returns the place of a network, such as "Berlin, Germany", with what the
// database knows of it. It returns "" for an unknown place.
func (d *Database) Of(network, locale string) string {
	prefix, err := netip.ParsePrefix(network)
	if d == nil || err != nil {
		return ""
	}
	var found struct {
		City    named `maxminddb:"city"`
		Country named `maxminddb:"country"`
	}
	if err := d.reader.Lookup(prefix.Addr()).Decode(&found); err != nil {
		return "" // a damaged record, or IPv6 in a database of IPv4
	}
	city, country := found.City.in(locale), found.Country.in(locale)
	switch {
	case country == "":
		return city
	case city == "", city == country: // Singapore
		return country
	}
	return city + ", " + country
}
