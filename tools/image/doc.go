// Package image tests the container image and the files that deploy it, without
// a container engine. It executes the Dockerfile line by line with the Go and
// Node of this system. It runs the result in namespaces of its own, as Docker and
// Kubernetes would.
package image
