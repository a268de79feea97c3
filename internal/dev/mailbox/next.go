package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	usualWait = 10 * time.Second
	mostWait  = time.Minute
)

// link is an address in the text of a message.
var link = regexp.MustCompile(`https?://[^\s<>"]+`)

// detailed is a message with what a test looks for in it.
type detailed struct {
	Message
	Code  string   `json:"code"` // "" without one
	Links []string `json:"links"`
}

// Next serves the first message to an address (?to=) after the one with a number (?after=), as JSON. It waits for
// one to arrive (?wait=, in seconds), and answers 404 if none does.
func (m *Mailbox) Next(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to := strings.TrimSpace(q.Get("to"))
	after, wait, err := bounds(q.Get("after"), q.Get("wait"))
	w.Header().Set("Cache-Control", "no-store")
	if to == "" || err != nil {
		answer(w, http.StatusBadRequest, title("to= names the address of the recipient, after= the number of an email, and wait= up to 60 seconds"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	found, err := m.Wait(ctx, func(msg Message) bool {
		return msg.Number > after && slices.ContainsFunc(msg.To, func(one string) bool { return strings.EqualFold(one, to) })
	})
	if err != nil {
		answer(w, http.StatusNotFound, title(fmt.Sprintf("no email to %s came within %s; %s; rate limits hold here, too", to, wait, m.came(after))))
		return
	}
	answer(w, http.StatusOK, detailed{found, found.Code(), append([]string{}, link.FindAllString(found.Text, -1)...)})
}

// Last returns the number of the newest message, 0 if there was none.
func (m *Mailbox) Last() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// came says what came instead of an awaited email.
func (m *Mailbox) came(after int) string {
	var messages []string
	for _, msg := range m.Messages() {
		if msg.Number > after && len(messages) < 5 {
			messages = append(messages, fmt.Sprintf("%q to %s", msg.Subject, strings.Join(msg.To, ", ")))
		}
	}
	if messages == nil {
		return "nothing else came either"
	}
	return "what came, newest first: " + strings.Join(messages, "; ")
}

func bounds(after, wait string) (number int, limit time.Duration, err error) {
	limit = usualWait
	if after != "" {
		number, err = strconv.Atoi(after)
	}
	if wait != "" && err == nil {
		var seconds int
		seconds, err = strconv.Atoi(wait)
		limit = time.Duration(seconds) * time.Second
	}
	if err == nil && (limit < 0 || limit > mostWait) {
		err = fmt.Errorf("a wait of %s", limit)
	}
	return number, limit, err
}

func title(text string) map[string]string { return map[string]string{"title": text} }

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has gone
}
