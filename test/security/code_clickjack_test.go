package security

import (
	"encoding/json"
	"testing"

	"portico/internal/config"
)

// press presses the mouse button at a place.
func (c *chromium) press(x, y float64) {
	c.t.Helper()
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		c.call("Input.dispatchMouseEvent", object{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

func (c *chromium) key(key, text string, number int) {
	c.t.Helper()
	c.call("Input.dispatchKeyEvent", object{"type": "keyDown", "key": key, "code": key, "text": text, "windowsVirtualKeyCode": number}, nil)
	c.call("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": number}, nil)
}

// presses returns the ways to press a confirm button at a place.
func presses() map[string]func(c *chromium, x, y float64) {
	return map[string]func(c *chromium, x, y float64){
		"mouse": func(c *chromium, x, y float64) { c.press(x, y); c.press(x, y) },
		"keyboard": func(c *chromium, _, _ float64) {
			c.evaluate(`document.querySelector("form button[type=submit]").focus(); "tried"`)
			c.key("Enter", "\r", 13)
			c.key(" ", " ", 32)
		},
	}
}

// ignoresUnseen holds that the button of the page works only when it was in view for a while. The second click of a double
// click, or a key, may be meant for the page or the window before. It stops the page's own clock and sets it.
func (c *chromium) ignoresUnseen(attack func(c *chromium, x, y float64)) {
	c.t.Helper()
	const guard = `document.querySelector('form button[type=submit]').parentElement.getAnimations({subtree: true}).filter((a) => a.animationName)`
	const place = `location.pathname + document.title`
	at := func(moment string) {
		c.t.Helper()
		if n := c.evaluate(`String(` + guard + `.map((a) => { a.pause(); a.currentTime = ` + moment + `; return a; }).length)`); n == "0" {
			c.t.Log("the page has no click guard")
		}
	}
	at("137")
	here := c.evaluate(place)
	var box struct{ X, Y float64 }
	text := c.evaluate(`(() => { const b = document.querySelector('form button[type=submit]').getBoundingClientRect(); return JSON.stringify({X: b.x + b.width / 2, Y: b.y + b.height / 2}); })()`)
	if err := json.Unmarshal([]byte(text), &box); err != nil {
		c.t.Fatal(err)
	}
	attack(c, box.X, box.Y)
	c.evaluate(`new Promise((done) => setTimeout(done, 500))`)
	if now := c.evaluate(place); now != here {
		c.t.Fatalf("137 ms after the page %s came, a press leads to %s", here, now)
	}
	// When the page comes back into view, or a window over it is closed, the wait begins again.
	for _, event := range []string{`document.dispatchEvent(new Event("visibilitychange"))`, `window.dispatchEvent(new Event("focus"))`} {
		at("1000")
		c.evaluate(event + `; "seen"`)
		if c.evaluate(`String(`+guard+`.every((a) => a.currentTime < 500))`) != "true" {
			c.t.Fatalf("on %s, the wait does not begin again after %s", here, event)
		}
		at("137")
		attack(c, box.X, box.Y)
		if now := c.evaluate(place); now != here {
			c.t.Fatalf("137 ms after %s, a press on %s leads to %s", event, here, now)
		}
	}
	// A later press counts.
	at("600")
	attack(c, box.X, box.Y)
	c.until(place + ` !== ` + encodeText(here))
}

func TestSEC214_ConfirmButtonIsNotPressedUnseen(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, attack := range presses() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startWhole(t)
			address := fresh("v")
			s.visitor().forgetsIn(address)
			c := s.browse()
			c.visit(s.origin + "/auth/confirm-link?token=" + s.mail.next(address).token(t))
			c.until(`location.pathname === "/auth/confirm-link" && document.readyState === "complete"`)
			c.ignoresUnseen(attack)
			c.until(`location.pathname === "/auth/reset-password"`)
			c.quiet()
		})
	}
}

// Any site can lead a browser to these pages, below a window of its own.
func TestSEC507_AppsAndDevicesGetNoConsentUnseen(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, attack := range presses() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startWhole(t, withTV, func(c *config.Config) { c.Clients[0].Consent = true })
			c := s.browseSignedIn()
			c.visit(s.origin + devicePath + "?user_code=" + s.device().user)
			c.fill(nil)
			c.until(`document.querySelector("button[value=allow]") !== null && document.readyState === "complete"`)
			c.ignoresUnseen(attack)
			for _, page := range []string{"/auth/openid/logout", "/auth/openid/authorize?" + codeRequest().Encode()} {
				address := fresh("v")
				s.operator(address, good)
				c.visit(s.origin + "/auth/signin")
				c.signInByAPI(address)
				c.visit(s.origin + page)
				c.ignoresUnseen(attack)
			}
		})
	}
}

// forgetsIn starts a recovery in this browser, for a new account.
func (v *visitor) forgetsIn(address string) {
	v.Helper()
	v.operator(address, good)
	v.forgot(address)
}
