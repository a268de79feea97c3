package systemd

import (
	"net"
	"os"
	"strings"
)

// Ready says that the process serves, or serves again after Reloading. status is
// what `systemctl status` shows.
func Ready(status string) { send("READY=1", "STATUS="+oneLine(status)) }

// Reloading says that the settings are being read. Ready must follow.
func Reloading() { send("RELOADING=1") }

// Stopping says that the process ends.
func Stopping() { send("STOPPING=1") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// send ignores errors: the manager then treats the process as silent, and no
// visitor would gain from an end of the process.
func send(lines ...string) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // a name with @ is abstract
	if err != nil {
		return
	}
	_, _ = c.Write([]byte(strings.Join(lines, "\n")))
	_ = c.Close()
}
