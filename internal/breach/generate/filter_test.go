package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	list := "123456\n12345678\r\nPassword\npassword\nsieben7\nпароль12\n        \n"
	got := choose([]byte(list))
	want := []string{"12345678", "Password", "пароль12", "        "}
	if !slices.Equal(got, want) {
		t.Errorf("choose = %q, want %q", got, want)
	}
}

func TestBuild_SameBytesInAnyOrder(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 5000 {
		words = append(words, fmt.Sprintf("password%d", i))
	}
	first, err := build(words)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(words)
	second, err := build(words)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the order of the words changes the filter")
	}
}

func TestUnpack_WrongArchive(t *testing.T) {
	t.Parallel()
	if _, err := unpack([]byte("no archive")); err == nil || !strings.Contains(err.Error(), "open the package") {
		t.Errorf("unpack = %v, want an error that says what failed", err)
	}
}
