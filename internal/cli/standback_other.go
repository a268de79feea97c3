//go:build !linux

package cli

func standBack() {}
