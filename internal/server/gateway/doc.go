// Package gateway is the door behind which apps stand.
package gateway
