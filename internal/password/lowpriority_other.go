//go:build !linux

package password

func standBack() {}
