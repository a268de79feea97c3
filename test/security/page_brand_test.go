package security

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/app"
	"portico/internal/config"
)

// refused expects that a Portico with this setting does not start.
func refused(t *testing.T, name, key string, change option) {
	t.Helper()
	cfg := config.Default()
	change(&cfg)
	var problems config.Problems
	if err := app.Check(cfg); !errors.As(err, &problems) || !slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Key == key }) {
		t.Errorf("%s: %s is not refused, but: %v", name, key, err)
	}
}

func TestSEC232_PicturesOfTheOperatorRunAndLoadNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	folder := t.TempDir()
	svg := func(name, inner string) string {
		path := folder + "/" + name + ".svg"
		writeFile(t, path, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">`+inner+`</svg>`)
		return path
	}
	for name, inner := range map[string]string{
		"script": `<script>alert(1)</script>`, "handler": `<path onload="alert(1)"/>`, "html": `<foreignObject><body onload="alert(1)"/></foreignObject>`,
		"animation": `<animate attributeName="href" values="javascript:alert(1)"/>`, "link": `<a href="javascript:alert(1)"/>`,
		"image": `<image href="https://evil.test/"/>`, "use": `<use href="https://evil.test/#a"/>`, "fill": `<path fill="url(https://evil.test/#a)"/>`,
		"import": `<style>@import "https://evil.test/";</style>`, "escape": `<style>a{fill:\75rl(https://evil.test/)}</style>`, "set": `<path style="mask:image-set('https://evil.test/' 1x)"/>`,
	} {
		path := svg(name, inner)
		refused(t, name, "brand.logo", func(c *config.Config) { c.Brand.Logo = path })
		refused(t, name, "brand.logo_dark", func(c *config.Config) { c.Brand.Logo, c.Brand.LogoDark = path, path })
		refused(t, name, "brand.favicon", func(c *config.Config) { c.Brand.Favicon = path })
		refused(t, name, "providers.corp.icon", func(c *config.Config) { c.Providers = []config.Provider{corp(path)} })
	}
	entities := folder + "/entities.svg"
	writeFile(t, entities, `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg viewBox="0 0 1 1">&a;</svg>`)
	refused(t, "entities", "brand.logo", func(c *config.Config) { c.Brand.Logo = entities })

	drawing := svg("drawing", `<path d="M0 0"/>`)
	s := startWhole(t, func(c *config.Config) {
		c.Brand.Logo, c.Brand.Favicon, c.Providers = drawing, drawing, []config.Provider{corp(drawing)}
	})
	v := s.visitor()
	for _, path := range regexp.MustCompile(`/auth/brand/[\w.-]+`).FindAllString(v.get("/auth/signin").must(200).body, -1) {
		a := v.get(path).must(200)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "sandbox") || !strings.Contains(policy, "default-src 'none'") || a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s, opened by itself, has the headers %v", path, a.header)
		}
	}
}

func corp(icon string) config.Provider {
	return config.Provider{ID: "corp", Preset: "openid", Issuer: "https://id.corp.test", Name: "Corp", ClientID: "a", ClientSecret: "b", Icon: icon}
}

func TestSEC233_ABrandBringsNoStyleOfItsOwn(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, colour := range []string{`#0b6e42;}*{background:url(https://evil.test/)`, `#0b6e42</style><script>alert(1)</script>`, `red`, `#0b6e4`, `#0b6e42 `, "#0b6e42\n"} {
		refused(t, colour, "brand.colour", func(c *config.Config) { c.Brand.Colour = colour })
		refused(t, colour, "brand.colour", func(c *config.Config) { c.Brand.Gradient = []string{colour, "#0b6e42"} })
	}
	s := startWhole(t, func(c *config.Config) {
		c.Brand.Colour, c.Brand.Scheme, c.Brand.Font = "#0b6e42", "auto", "../../internal/brand/testdata/quicksand.woff2"
	})
	v := s.visitor()
	for _, target := range pages() {
		a := v.get(target)
		policy := a.header.Get("Content-Security-Policy")
		if a.header.Get("Content-Type") != "text/html; charset=utf-8" {
			continue // a redirect
		}
		allowed := regexp.MustCompile(`style-src ([^;]*)`).FindStringSubmatch(policy)
		styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(a.body, -1)
		if allowed == nil || len(styles) != 2 || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "font-src 'self'") {
			t.Fatalf("%s has %d styles and the policy %s", target, len(styles), policy)
		}
		var hashes []string
		for _, style := range styles {
			sum := sha256.Sum256([]byte(style[1]))
			hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
			for _, address := range regexp.MustCompile(`url\(["']?([^"')]*)`).FindAllStringSubmatch(style[1], -1) {
				if !strings.HasPrefix(address[1], "/auth/brand/") {
					t.Errorf("%s: the style loads %s", target, address[1])
				}
			}
		}
		if got := strings.Fields(allowed[1]); !slices.Equal(got, hashes) {
			t.Errorf("%s allows the styles %v and has %v", target, got, hashes)
		}
	}
}
