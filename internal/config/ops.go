package config

import (
	"net"
	"net/netip"
)

// OpsAddress returns the address at which a process on this machine reaches the
// operations listener. It returns false if the port is not known.
func (c *Config) OpsAddress() (string, bool) { return nearby(c.OpsListen) }

// ListenAddress is OpsAddress for the public listener.
func (c *Config) ListenAddress() (string, bool) { return nearby(c.Listen) }

func nearby(listen string) (string, bool) {
	host, port, err := net.SplitHostPort(listen)
	if addr, perr := netip.ParseAddr(host); host == "" || perr == nil && addr.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), err == nil && port != "0"
}
