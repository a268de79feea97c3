package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const (
	filterFile = "filter.bin"
	sampleFile = "testdata/common.txt"
	sampleSize = 3000 // ASVS 6.2.4 asks for this many at least
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes the filter and the sample into the folder of internal/breach.
func run(folder string) error {
	list, err := fetch()
	if err != nil {
		return err
	}
	passwords, words := choose(list)
	filter, err := build(slices.Concat(passwords, words))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, filterFile), filter, 0o644); err != nil {
		return fmt.Errorf("write the filter: %w", err)
	}
	var sample bytes.Buffer
	for _, password := range passwords[:min(sampleSize, len(passwords))] {
		sample.WriteString(password + "\n")
	}
	if err := os.WriteFile(filepath.Join(folder, sampleFile), sample.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	fmt.Printf("%d passwords, %d words, %d bytes\n", len(passwords), len(words), len(filter))
	return nil
}
