package security

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/openid"
	"portico/internal/secret"
	"portico/internal/server/ops"
)

// Requests for OpenID clients that are refused, with secrets and tokens in wrong places, line breaks
// and long values. The log explains each of them in one bounded line, and shows no secret.
func TestSEC357_RefusedRequestsInTheLog(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	code, token := v.openIDCode(), secret.Token()
	jwt := "eyJhbGciOiJFUzI1NiJ9." + token + "." + token
	forged := "x\n{\"level\":\"ERROR\",\"msg\":\"forged\"}\u2028\x1b[2J\u202e"
	long := strings.Repeat("https://long.test/", 300)
	secrets := []string{rpSecret, code, token, "hunter2-of-a-user"}

	for _, wrong := range []string{rpSecret, token, jwt, "openid " + token, code, forged, long, "https://u:" + token + "@rp.test/cb", rpBack + "?access_token=" + token, rpBack + "/" + token} {
		for _, name := range []string{"client_id", "redirect_uri", "scope", "response_type", "response_mode", "prompt", "max_age", "acr_values", "resource", "code_challenge_method", "login_hint", "state", token} {
			q := codeRequest(name, wrong, "login_hint", "hunter2-of-a-user")
			q.Set(name, wrong)
			v.authorize(q)
			s.rp("par", with(url.Values{"client_secret": {rpSecret}}, flat(q)...))
		}
		for _, name := range []string{"client_id", "client_secret", "grant_type", "scope", "redirect_uri", "resource", "client_assertion", "client_assertion_type"} {
			s.rp("token", codeForm(code, name, wrong, "code", "x"+code))
			s.rp("device", codeForm(code, name, wrong))
			s.rp("introspect", codeForm(code, name, wrong))
			s.rp("revoke", codeForm(code, name, wrong))
		}
		for _, name := range []string{"client_id", "id_token_hint", "post_logout_redirect_uri", "state"} {
			v.get("/auth/openid/logout?" + url.Values{name: {wrong}}.Encode())
		}
		visible := strings.Map(func(r rune) rune { return max(r, ' ') }, wrong)
		s.rpSend("token", "grant_type=authorization_code", http.Header{"Authorization": {"Basic " + visible}})
		s.rpSend("token", "grant_type=authorization_code", http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(wrong+":"+rpSecret))}})
		s.rpSend("userinfo", "", http.Header{"Authorization": {"Bearer " + visible}})
	}

	explained := 0
	for line := range strings.Lines(s.log.String()) {
		var entry struct {
			Msg, Code string
			Sent      map[string]string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Msg == "forged" || strings.ContainsAny(line, "\u2028\u202e\x1b") {
			t.Fatalf("a line that a client has forged: %q", line)
		}
		if !strings.HasPrefix(entry.Code, "openid.") {
			continue
		}
		explained++
		if len(line) > 6<<10 {
			t.Errorf("a line has %d bytes: %.300s", len(line), line)
		}
		for _, hidden := range secrets {
			if strings.Contains(line, hidden) {
				t.Fatalf("the log has %q: %s", hidden, line)
			}
		}
	}
	if explained < 100 {
		t.Errorf("only %d requests were refused", explained)
	}
	// A flood takes no place of another refusal.
	s.rp("token", codeForm("x", "client_id", "rp2", "client_secret", "another secret of rp2, in the tests"))
	for i := range 200 {
		s.rp("token", codeForm("x", "client_id", fmt.Sprint("flood-", i)))
		v.authorize(codeRequest("client_id", "rp2", "redirect_uri", fmt.Sprint("https://rp.test/", i)))
	}
	if told := s.refusals("rp2"); len(told) != 4 || !strings.Contains(told[3].Cause, "the secret is wrong") || told[0].Sent["redirect_uri"] != "https://rp.test/199" {
		t.Errorf("remembered: %+v", told)
	}
}

// refusals returns what the server remembers of a client, as `portico why --client` asks for it.
func (s *site) refusals(id string) (list []openid.Refusal) {
	s.Helper()
	key, err := secret.ReadKey(s.config.SecretFile)
	if err != nil {
		s.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodPost, "http://"+s.ops+ops.RefusalsPath+"?client="+id, nil)
	r.Header.Set("Authorization", ops.Prove(key.MAC(ops.ReloadPurpose), s.clock.Now()))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		s.Fatal(answer.Status, err)
	}
	return list
}

// flat returns parameters as with takes them.
func flat(q url.Values) (list []string) {
	for name, values := range q {
		list = append(list, name, values[0])
	}
	return list
}
