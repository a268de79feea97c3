package security

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

const devicePath = "/auth/device"

// withTV adds a public client on a device without a browser.
func withTV(c *config.Config) {
	c.Clients = append(c.Clients, config.Client{ID: "tv", Name: "Television", IDTokenAlg: "ES256", Public: true, PKCE: true, Scopes: []string{"openid", "email"}, Grants: []string{"device_code"}})
}

// device is one that waits for its user.
type device struct {
	*site
	code, user string
}

func (s *site) device() device {
	s.Helper()
	a := s.rp("device", url.Values{"client_id": {"tv"}, "scope": {"openid email"}})
	var got struct {
		Code string `json:"device_code"`
		User string `json:"user_code"`
	}
	if a.parse(&got); a.status != 200 || got.Code == "" || got.User == "" {
		s.Fatalf("no device begins: %d %s", a.status, a.body)
	}
	return device{s, got.Code, got.User}
}

func (d device) polls() rpAnswer {
	d.Helper()
	return d.rp("token", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {d.code}, "client_id": {"tv"}})
}

// waits expects that no user has answered for the device.
func (d device) waits(what string) {
	d.Helper()
	d.clock.Advance(5 * time.Second)
	d.refused(what, d.polls(), "authorization_pending")
}

// answer is the form by which a user answers for the device.
func (d device) answer(v *visitor, answer string) url.Values {
	d.Helper()
	return url.Values{"code": {d.user}, "account": {v.id()}, "answer": {answer}}
}

func TestSEC309_UserCodesGuessed(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTV)
	d := s.device()
	tries := func(v *visitor, code string) int { return v.form(devicePath, url.Values{"code": {code}}).status }
	address := fresh("v")
	v := s.visitor().register(address)
	for i := range 10 {
		if got := tries(v, "BBBB-BBB"+string("CDFGHJKLMN"[i])); got != 422 {
			t.Fatalf("try %d: %d", i+1, got)
		}
	}
	if got := tries(v, d.user); got != 429 {
		t.Errorf("a right code after ten wrong ones: %d", got)
	}
	again := s.visitor()
	again.signIn(address, good)
	if got := tries(again, d.user); got != 429 {
		t.Errorf("in another session of the account: %d", got)
	}
	refused := 0
	for range 9 { // other accounts of the same network
		other := s.visitorFrom("127.9.9.9").register(fresh("v"))
		for range 8 {
			if tries(other, "BBBB-BBBB") == 429 {
				refused++
			}
		}
	}
	if refused != 22 {
		t.Errorf("of 72 wrong codes from one network, %d were refused", refused)
	}
	s.clock.Advance(time.Hour)
	d = s.device()
	for range 30 { // right codes do not count
		if got := tries(v, strings.ToLower(d.user)); got != 200 {
			t.Fatalf("a right code after the hour: %d", got)
		}
	}
	if a := s.visitor().form(devicePath, url.Values{"code": {d.user}}); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin?") {
		t.Errorf("without a session: %d %s", a.status, a.header.Get("Location"))
	}
	begun, stranger := 0, s.visitor()
	for range 110 {
		if stranger.form("/auth/openid/device", url.Values{"client_id": {"tv"}, "scope": {"openid"}}).status == 200 {
			begun++
		}
	}
	if begun != 100 {
		t.Errorf("a stranger has begun %d devices", begun)
	}
}

func TestSEC313_DeviceLetInByOthers(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t, withTV)
	address := fresh("v")
	v, other := s.visitor().register(address), s.visitor().register(fresh("v"))
	d := s.device()
	for _, target := range []string{devicePath + "?user_code=" + d.user, devicePath + "?" + d.answer(v, "allow").Encode(), devicePath + "?code=" + d.user + "&answer=allow"} {
		if a := v.get(target); a.status != 200 {
			t.Errorf("%s: %d", target, a.status)
		}
		d.waits("after the link " + target)
	}
	v.form(devicePath, url.Values{"code": {d.user}})
	d.waits("after the code alone")
	for name, header := range map[string]http.Header{
		"another origin": {"Origin": {"https://evil.test"}}, "another site": {"Sec-Fetch-Site": {"cross-site"}}, "no origin": {"Origin": {"null"}},
	} {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		if a := v.do("POST", devicePath, d.answer(v, "allow").Encode(), header); a.status != http.StatusForbidden {
			t.Errorf("%s: %d", name, a.status)
		}
	}
	d.waits("after a forged form")
	if a := v.form(devicePath, d.answer(other, "allow")); a.status != 200 {
		t.Errorf("a form of another user: %d", a.status)
	}
	d.waits("after a form that names another user")
	body := v.form(devicePath, url.Values{"code": {d.user}}).body
	for _, words := range []string{"Television", d.user, address, "If someone sent you the code"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if a := v.form(devicePath, d.answer(v, "allow")); a.status != 200 {
		t.Fatalf("the user: %d", a.status)
	}
	if a := other.form(devicePath, d.answer(other, "allow")); a.status != 422 {
		t.Errorf("another user after that: %d", a.status)
	}
	got := d.polls()
	if got.status != 200 || !strings.Contains(v.do("GET", userInfoPath, "", http.Header{"Authorization": {"Bearer " + got.Access}}).body, address) {
		t.Errorf("the device: %d %s", got.status, got.body)
	}
}

func TestSEC314_DeviceAtTheSameMoment(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTV)
	for range rounds(2, 50) {
		v, d := s.visitor().register(fresh("v")), s.device() // answers that lose count as wrong codes
		var said atomic.Int32
		yes, no := d.answer(v, "allow"), d.answer(v, "deny")
		if won := race(10, func() bool {
			form := yes
			if said.Add(1)%2 == 0 {
				form = no
			}
			return v.copied().form(devicePath, form).status == 200
		}); won != 1 {
			t.Fatalf("%d of 10 answers at once counted", won)
		}
		d = s.device()
		if a := v.form(devicePath, d.answer(v, "allow")); a.status != 200 {
			t.Fatalf("the user: %d %s", a.status, a.body)
		}
		tokens := make(chan rpAnswer, 20)
		if won := race(20, func() bool {
			got := d.polls()
			if got.Access != "" {
				tokens <- got
			}
			return got.Access != ""
		}); won != 1 {
			t.Fatalf("%d of 20 who asked at once got tokens", won)
		}
		if got := <-tokens; !s.works(got.Access) {
			t.Fatal("the others have ended the grant")
		}
		s.refused("again", d.polls(), "invalid_grant")
	}
}
