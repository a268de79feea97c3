package app

import (
	"errors"
	"io/fs"

	"portico/internal/config"
	"portico/internal/place"
)

// takePlaces reads the database of places.
func (p *parts) takePlaces(r *config.Report) {
	cfg := p.config
	if cfg.Places == "" {
		return
	}
	var err error
	switch p.places, err = place.Open(cfg.Places); {
	case errors.Is(err, fs.ErrNotExist):
		r.Add("places", cfg.Places+" does not exist", "write an absolute path, or one relative to the folder in which portico is started")
	case errors.Is(err, place.ErrKind):
		r.Add("places", cfg.Places+" has neither cities nor countries", "write the path of a database of cities or countries, such as GeoLite2-City.mmdb")
	case err != nil:
		r.Add("places", cfg.Places+" cannot be read as a MaxMind DB: "+err.Error(), "download the file again, and replace it by renaming a complete one")
	}
}
