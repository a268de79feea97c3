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

// takeBrand reads the files of the brand and the icons of providers. given has icons without
// a file, by the id of the provider.
func (p *parts) takeBrand(r *config.Report, given map[string][]byte) error {
	look, wrong := theme(p.config)
	for _, m := range wrong {
		r.Add("brand."+m.Key, m.Why, m.Write)
		look = brand.Default()
	}
	p.theme, p.pictures = look, map[string]*brand.File{}
	for id, data := range given {
		icon, err := picture.Parse(data, icons())
		if err != nil {
			return err
		}
		p.pictures[id] = brand.NewPicture(icon)
	}
	for _, provider := range p.config.Providers {
		if provider.Icon == "" {
			continue
		}
		icon, err := picture.Open(provider.Icon, icons())
		if err != nil {
			why, write, _ := strings.Cut(err.Error(), ": ")
			r.Add("providers."+provider.ID+".icon", provider.Icon+" "+why, write)
			continue
		}
		p.pictures[provider.ID] = brand.NewPicture(icon)
	}
	return nil
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
	return a.screens(l, form.NewActions(l.Flows, l.Owner, l.catalogue, a.clock, publicURL(cfg)), look)
}

// otherFiles adds the settings whose file has the same name and other content.
func otherFiles(before, after *live, changed []string) []string {
	old, now := before.files(), after.files()
	for key, path := range now {
		if was, there := old[key]; there && was != path && !slices.Contains(changed, key) {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}

// files returns a mark of each of the operator's files by the name of its setting in reports, its URL path or its
// digest. It changes with the content.
func (l *live) files() map[string]string {
	all := map[string]string{}
	for key, f := range l.theme.Files() {
		all["brand."+key] = f.Path
	}
	all["places"] = l.places.Sum()
	for id, f := range l.pictures {
		all[config.ProviderIcon(id)] = f.Path
	}
	return all
}
