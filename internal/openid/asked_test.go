package openid

import (
	"encoding/hex"
	"strings"
	"testing"

	"portico/internal/secret"
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

// A secret has a mark in its place, also one that is as short as its hash permits.
func TestAsked_ShortSecret(t *testing.T) {
	t.Parallel()
	wiki, err := NewClient(Client{ID: "wiki"}, Secrets{Hash: hex.EncodeToString(secret.Hash("hunter2"))})
	if err != nil {
		t.Fatal(err)
	}
	clients := NewClients([]Client{wiki})
	if got := clients.Asked("hunter2", "", map[string][]string{"scope": {"hunter2"}}); got.ClientID != "(the secret of wiki)" || got.Sent["scope"] != got.ClientID {
		t.Errorf("%+v", got)
	}
}
