package egress

import (
	"net"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	d := newDialer(nil, Config{})
	public := []string{"1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:8.8.8.8"}
	private := []string{ // allowed if the operator has named the origin
		"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
		"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "198.18.0.1", "192.0.2.1",
		"fd00:ec2::253", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1", "2001:db8::1", "3fff::1", "5f00::1", "240.0.0.1", "255.255.255.255",
	}
	never := []string{"0.0.0.0", "::", "::ffff:0.0.0.0", "169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fe80::1%lo", "224.0.0.1", "ff02::1",
		"64:ff9b::a9fe:a9fe", "64:ff9b::a9fe:a9fe%lo", "64:ff9b::", "64:ff9b::e000:1", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "64:ff9b::6464:64c8"}
	for _, c := range []struct {
		ips            []string
		unnamed, named bool
	}{{public, true, true}, {private, false, true}, {never, false, false}} {
		for _, ip := range c.ips {
			address := net.JoinHostPort(ip, "443")
			if got := d.judge(address, false) == nil; got != c.unnamed {
				t.Errorf("%s, origin not named: let through %v, want %v", ip, got, c.unnamed)
			}
			if got := d.judge(address, true) == nil; got != c.named {
				t.Errorf("%s, origin named: let through %v, want %v", ip, got, c.named)
			}
		}
	}
	if d.judge("localhost:443", true) == nil {
		t.Error("a name must not reach the judgement")
	}
}
