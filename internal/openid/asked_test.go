package openid

import (
	"strings"
	"testing"
)

// A blank at the end of an id is what differs, and an operator sees it.
func TestAsked_BlankAtTheEnd(t *testing.T) {
	t.Parallel()
	clients := NewClients([]Client{{ID: "wiki"}})
	if got := clients.Asked("wiki ", "", nil); !strings.Contains(got.ClientID, "blank") || got.Registered["client_id"] != "wiki" {
		t.Errorf("%+v", got)
	}
	if got := clients.Asked("wikki", "", nil); got.ClientID != "wikki" {
		t.Errorf("%+v", got)
	}
}
