package openid

import (
	"fmt"
	"testing"
)

// Requests that differ in what they sent are told apart. Many of one kind displace none of another.
func TestRefusals_TellApartWhatWasSent(t *testing.T) {
	t.Parallel()
	r := NewRefusals()
	add := func(code, sent string) {
		r.Add(Refusal{Asked: Asked{ClientID: "wiki", Sent: map[string]string{"redirect_uri": sent}}, Code: code}, true)
	}
	add("first", "a")
	for i := range 2 * maxOfClient {
		add("flood", fmt.Sprint(i))
	}
	add("second", "b")
	add("second", "c")
	add("second", "b")
	got := ""
	for _, x := range r.Of("wiki") {
		got += fmt.Sprint(x.Code, x.Sent["redirect_uri"], "*", x.Count, " ")
	}
	if want := "secondb*2 secondc*1 flood71*1 flood70*1 flood69*1 firsta*1 "; got != want {
		t.Errorf("remembered are %s, want %s", got, want)
	}
	for i := range maxOfClient {
		add(fmt.Sprint(i), "")
	}
	if n := len(r.Of("wiki")); n != maxOfClient {
		t.Errorf("remembered are %d, want %d", n, maxOfClient)
	}
}
