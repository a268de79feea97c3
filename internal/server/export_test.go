package server

// CheckTarget is tested directly by the fuzzer.
var CheckTarget = checkTarget
