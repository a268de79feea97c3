package app

import (
	"net/url"
	"reflect"
	"testing"

	"portico/internal/config"
)

// A setting that the steps read and nobody hands to them has no effect.
func TestFlowSettings_HasEach(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "https", Host: "x.test"}
	cfg.Apps = []config.App{{Name: "notes", Path: "/notes", Audience: "notes", AccessTokens: true, PersonalTokens: true}}
	cfg.SignUp.Domains, cfg.SignIn.Code, cfg.Legal.TermsVersion = []string{"x.test"}, true, "1"
	cfg.MFA.Require = []string{config.RequireAll}
	cfg.OpenID.ClientDocuments, cfg.OpenID.Registration = true, true
	made := reflect.ValueOf(flowSettings(cfg, func(tag string) string { return tag }))
	for field, value := range made.Fields() {
		if value.IsZero() {
			t.Errorf("%s is not handed over: set it here, and in flowSettings", field.Name)
		}
	}
}
