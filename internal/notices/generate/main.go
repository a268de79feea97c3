package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := generated("../..")
	if err != nil {
		return err
	}
	return os.WriteFile("NOTICES.txt", []byte(text), 0o644)
}
