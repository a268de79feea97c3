// Package systemd tells a service manager what the process does, by the protocol
// of sd_notify(3). Without NOTIFY_SOCKET, it does nothing.
//
// It takes no library: the protocol is one datagram of text.
package systemd
