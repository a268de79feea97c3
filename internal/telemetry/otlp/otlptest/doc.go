// Package otlptest is a collector for tests: a real HTTP server that reads
// OTLP in protobuf and keeps the spans.
package otlptest
