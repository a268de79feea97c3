package app

import (
	"errors"
	"slices"
	"strings"

	"portico/internal/brand"
	"portico/internal/config"
	"portico/internal/picture"
	"portico/internal/server/form"
	"portico/internal/server/screens"
)

// icons limits the icons of providers.
func icons() picture.Limit {
	return picture.Limit{Bytes: 64 << 10, Types: []string{picture.PNG, picture.SVG}}
}

// theme checks the brand of a configuration and reads its files.
func theme(cfg config.Config) (*brand.Theme, []brand.Mistake) {
	b := cfg.Brand
	return brand.New(brand.Settings{
		Colour: b.Colour, Gradient: b.Gradient, Radius: b.Radius, Scheme: b.Scheme,
		Logo: b.Logo, LogoDark: b.LogoDark, Favicon: b.Favicon, Font: b.Font,
	})
}

// checkBrand adds what is wrong with the brand and with the icons of providers.
func checkBrand(cfg config.Config, r *config.Report) {
	_, wrong := theme(cfg)
	for _, m := range wrong {
		r.Add("brand."+m.Key, m.Why, m.Write)
	}
	for _, p := range cfg.Providers {
		if p.Icon == "" {
			continue
		}
		if _, err := picture.Open(p.Icon, icons()); err != nil {
			why, write, _ := strings.Cut(err.Error(), ": ")
			r.Add("providers."+p.ID+".icon", p.Icon+" "+why, write)
		}
	}
}

// Preview returns the screens in another scheme, for pages that show how the brand
// looks. Nothing mounts them.
func (a *App) Preview(scheme string) (*screens.Screens, error) {
	l := a.live.Load()
	cfg := l.config
	cfg.Brand.Scheme = scheme
	look, wrong := theme(cfg)
	if len(wrong) > 0 {
		return nil, errors.New(wrong[0].Why)
	}
	return a.screens(l, form.NewActions(l.flows, l.catalogue, a.clock, publicURL(cfg)), look)
}

// buildBrand reads the files of the brand. Check has found them good.
func (a *App) buildBrand(l *live) error {
	made, wrong := theme(l.config)
	for _, m := range wrong {
		return errors.New("brand." + m.Key + ": " + m.Why)
	}
	l.theme, l.pictures = made, map[string]*brand.File{}
	for id, data := range a.options.Icons {
		p, err := picture.Parse(data, icons())
		if err != nil {
			return err
		}
		l.pictures[id] = brand.NewPicture(p)
	}
	for _, p := range l.config.Providers {
		if p.Icon == "" {
			continue
		}
		icon, err := picture.Open(p.Icon, icons())
		if err != nil {
			return err
		}
		l.pictures[p.ID] = brand.NewPicture(icon)
	}
	return nil
}

// otherFiles adds the settings whose file has the same name and other content.
func otherFiles(before, after *live, changed []string) []string {
	old, now := before.files(), after.files()
	for key, path := range now {
		if old[key] != path && !slices.Contains(changed, key) {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}

// files returns a mark of each of the operator's files by setting, its URL path or its
// digest. It changes with the content.
func (l *live) files() map[string]string {
	all := map[string]string{}
	for key, f := range l.theme.Files() {
		all["brand."+key] = f.Path
	}
	all["places"] = l.places.Sum()
	for id, f := range l.pictures {
		all["providers."+id+".icon"] = f.Path
	}
	return all
}
