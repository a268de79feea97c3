package security

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portico/internal/testform"
)

// chromium is a real browser, driven over the pipe of its developer tools. It
// resolves every https name of the tests to one site.
type chromium struct {
	t       *testing.T
	write   io.WriteCloser
	session string

	mu      sync.Mutex
	next    int
	waiting map[int]chan reply
	events  []event
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// event is a message that the browser sends without a request.
type event struct {
	Method string
	Params json.RawMessage
}

// browse starts a browser for the site. Without an installed browser it skips
// the test; `make chromium` installs one.
func (s *site) browse() *chromium {
	s.Helper()
	binary := os.Getenv("CHROMIUM")
	if binary == "" {
		binary = "/usr/lib/chromium/chromium-headless-shell"
	}
	if _, err := os.Stat(binary); err != nil {
		s.Skipf("no browser at %s", binary)
	}
	profile, err := os.MkdirTemp("", "portico-chromium")
	if err != nil {
		s.Fatal(err)
	}
	commandsR, commandsW, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	eventsR, eventsW, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.Command(binary, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--ignore-certificate-errors", "--remote-debugging-pipe", "--user-data-dir="+profile,
		"--host-resolver-rules=MAP * "+s.addr)
	cmd.ExtraFiles = []*os.File{commandsR, eventsW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	_ = commandsR.Close()
	_ = eventsW.Close()
	c := &chromium{t: s.T, write: commandsW, waiting: map[int]chan reply{}}
	go c.read(eventsR)
	s.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its children
		_ = cmd.Wait()
		for range 50 { // its last children may still use the folder
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	var target struct{ TargetID string }
	c.call("Target.createTarget", object{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	c.call("Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &attached)
	c.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		c.call(domain+".enable", object{}, nil)
	}
	return c
}

func (c *chromium) read(r io.Reader) {
	for in := bufio.NewReader(r); ; {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID int
			reply
			event
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		if m.ID == 0 {
			c.events = append(c.events, m.event)
		} else if answer := c.waiting[m.ID]; answer != nil {
			answer <- m.reply
		}
		c.mu.Unlock()
		if m.Method == "Page.javascriptDialogOpening" {
			go c.send("Page.handleJavaScriptDialog", object{"accept": false})
		}
	}
}

// send writes a command and returns the channel of its reply.
func (c *chromium) send(method string, params object) chan reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	answer := make(chan reply, 1)
	c.waiting[c.next] = answer
	m := object{"id": c.next, "method": method, "params": params}
	if c.session != "" {
		m["sessionId"] = c.session
	}
	_, _ = io.WriteString(c.write, encode(m)+"\x00")
	return answer
}

func (c *chromium) call(method string, params object, result any) {
	c.t.Helper()
	if err := c.ask(method, params, result); err != nil {
		c.t.Fatal(err)
	}
}

// ask is call for a command that the browser may refuse.
func (c *chromium) ask(method string, params object, result any) error {
	c.t.Helper()
	select {
	case r := <-c.send(method, params):
		switch {
		case r.Error != nil:
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		case result != nil:
			return json.Unmarshal(r.Result, result)
		}
	case <-time.After(testform.Patience):
		c.t.Fatalf("the browser does not answer %s", method)
	}
	return nil
}

// evaluate returns the value of an expression. It awaits promises.
func (c *chromium) evaluate(expression string) string {
	c.t.Helper()
	value, err := c.value(expression)
	if err != nil {
		c.t.Fatal(err)
	}
	return value
}

// value is evaluate for a page that may be navigating: it returns an error
// meanwhile.
func (c *chromium) value(expression string) (string, error) {
	c.t.Helper()
	var r struct{ Result struct{ Value any } }
	err := c.ask("Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	return fmt.Sprint(r.Result.Value), err
}

// visit loads a page and waits until its scripts have run.
func (c *chromium) visit(target string) {
	c.t.Helper()
	c.call("Page.navigate", object{"url": target}, nil)
	c.until(`document.readyState === "complete"`)
	c.evaluate(`new Promise(done => setTimeout(done, 100))`)
}

// until waits for a condition of the current page or of the next one.
func (c *chromium) until(condition string) {
	c.t.Helper()
	for deadline := time.Now().Add(testform.Patience); ; time.Sleep(20 * time.Millisecond) {
		value, err := c.value(condition)
		if err == nil && value == "true" {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%s did not come true (%v) at %s:\n%.2000s", condition, err, c.evaluate("location.href"), c.evaluate("document.body.innerText"))
		}
	}
}

// fill types into the fields of the page's form and sends it. A whole code sends itself, so the page may be gone before
// the answer: the caller waits for the next one.
func (c *chromium) fill(values map[string]string) {
	c.t.Helper()
	for name, value := range values {
		field := fmt.Sprintf("document.querySelector('input[name=%q]')", name)
		_, _ = c.value(fmt.Sprintf(`(() => { const f = %s; Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(f, %s); f.dispatchEvent(new Event("input", { bubbles: true })); })()`, field, encodeText(value)))
	}
	_, _ = c.value(`document.querySelector('input[name]').form.requestSubmit(); "sent"`)
}

func encodeText(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// seen returns the events of a kind that came so far.
func (c *chromium) seen(method string) (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		if e.Method == method {
			list = append(list, string(e.Params))
		}
	}
	return list
}

// quiet fails if a foreign script ran: if a dialog opened, or a script violated
// the policy.
func (c *chromium) quiet() {
	c.t.Helper()
	for _, dialog := range c.seen("Page.javascriptDialogOpening") {
		c.t.Errorf("a dialog opened: %s", dialog)
	}
	for _, entry := range c.seen("Log.entryAdded") {
		if strings.Contains(entry, "Content Security Policy") {
			c.t.Errorf("the policy was violated: %s", entry)
		}
	}
	for _, thrown := range c.seen("Runtime.exceptionThrown") {
		c.t.Errorf("a script failed: %.600s", thrown)
	}
}
