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
	list := "123456\n12345678\r\nPassword\nmontag\npassword\nsieben7\nMontag\nauto\nпароль12\n        \n"
	passwords, words := choose([]byte(list))
	if want := []string{"12345678", "Password", "пароль12", "        "}; !slices.Equal(passwords, want) {
		t.Errorf("passwords = %q, want %q", passwords, want)
	}
	if want := []string{"montag"}; !slices.Equal(words, want) {
		t.Errorf("words = %q, want %q", words, want)
	}
}

func TestChoose_RareShortWordsAreLeftOut(t *testing.T) {
	t.Parallel()
	list := strings.Repeat("123456\n", commonWords) + "seltsam\nseltsamer\n"
	passwords, words := choose([]byte(list))
	if want := []string{"seltsamer"}; !slices.Equal(passwords, want) || words != nil {
		t.Errorf("choose = %q, %q, want %q and nothing", passwords, words, want)
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
