package security

import (
	"encoding/json"
	"testing"
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

// The second click of a double click, or a key, may be meant for the page
// before. It must not press the confirm button. The test stops the page's own
// clock and sets it.
func TestSEC214_ConfirmButtonIsNotPressedUnseen(t *testing.T) {
	announce(t)
	t.Parallel()
	const guard = `document.querySelector('form button[type=submit]').parentElement.getAnimations({subtree: true}).filter((a) => a.animationName)`
	for name, attack := range map[string]func(c *chromium, x, y float64){
		"mouse": func(c *chromium, x, y float64) { c.press(x, y); c.press(x, y) },
		"keyboard": func(c *chromium, _, _ float64) {
			c.evaluate(`document.querySelector("form button[type=submit]").focus(); "tried"`)
			c.key("Enter", "\r", 13)
			c.key(" ", " ", 32)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startWhole(t)
			address := fresh("v")
			s.visitor().forgetsIn(address)
			c := s.browse()
			c.visit(s.origin + "/auth/confirm-link?token=" + s.mail.next(address).token(t))
			c.until(`location.pathname === "/auth/confirm-link" && document.readyState === "complete"`)
			at := func(moment string) {
				t.Helper()
				if n := c.evaluate(`String(` + guard + `.map((a) => { a.pause(); a.currentTime = ` + moment + `; return a; }).length)`); n == "0" {
					t.Log("the page has no click guard")
				}
			}
			at("137")
			var box struct{ X, Y float64 }
			text := c.evaluate(`(() => { const b = document.querySelector('form button[type=submit]').getBoundingClientRect(); return JSON.stringify({X: b.x + b.width / 2, Y: b.y + b.height / 2}); })()`)
			if err := json.Unmarshal([]byte(text), &box); err != nil {
				t.Fatal(err)
			}
			attack(c, box.X, box.Y)
			c.evaluate(`new Promise((done) => setTimeout(done, 500))`)
			if path := c.evaluate(`location.pathname`); path != "/auth/confirm-link" {
				t.Fatalf("137 ms after the page came, a press leads to %s", path)
			}
			// When the page comes back into view, the wait begins again.
			at("1000")
			c.evaluate(`document.dispatchEvent(new Event("visibilitychange")); "seen"`)
			at("137")
			attack(c, box.X, box.Y)
			if path := c.evaluate(`location.pathname`); path != "/auth/confirm-link" {
				t.Fatalf("137 ms after the page came into view again, a press leads to %s", path)
			}
			// A later press counts.
			at("600")
			attack(c, box.X, box.Y)
			c.until(`location.pathname === "/auth/reset-password"`)
			c.quiet()
		})
	}
}

// forgetsIn starts a recovery in this browser, for a new account.
func (v *visitor) forgetsIn(address string) {
	v.Helper()
	v.operator(address, good)
	v.forgot(address)
}
