package app

import (
	"errors"
	"io/fs"

	"portico/internal/config"
	"portico/internal/place"
)

// checkPlaces adds what is wrong with the database of places.
func checkPlaces(cfg config.Config, r *config.Report) {
	if cfg.Places == "" {
		return
	}
	switch _, err := place.Open(cfg.Places); {
	case errors.Is(err, fs.ErrNotExist):
		r.Add("places", cfg.Places+" does not exist", "write a path from the folder in which portico is started, or an absolute one")
	case errors.Is(err, place.ErrKind):
		r.Add("places", cfg.Places+" has neither cities nor countries", "write the path of a database of cities or countries, such as GeoLite2-City.mmdb")
	case err != nil:
		r.Add("places", cfg.Places+" cannot be read as a MaxMind DB: "+err.Error(), "download the file again, and replace it by renaming a complete one")
	}
}

// buildPlaces reads the database of places. It keeps the one of before if the file is
// the same, so that its memory is not needed twice.
func buildPlaces(l, before *live) (err error) {
	if l.config.Places == "" {
		return nil
	}
	if l.places, err = place.Open(l.config.Places); err != nil {
		return err
	}
	if before != nil && before.places.Sum() == l.places.Sum() {
		l.places = before.places
	}
	return nil
}
