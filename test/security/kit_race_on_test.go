//go:build race

package security

const raceDetector = true
