package gateway

import "io"

// tunnelBuffer is what one direction of a WebSocket is copied through. io.Copy
// would take 32 KiB for each, which thousands of silent connections keep.
const tunnelBuffer = 4 << 10

// tunnel is the app's side of an upgraded connection. Its methods are what
// io.Copy calls in place of a large buffer.
type tunnel struct{ io.ReadWriteCloser }

// WriteTo copies from the app to the client.
func (t tunnel) WriteTo(w io.Writer) (int64, error) { return copySmall(w, t.ReadWriteCloser) }

// ReadFrom copies from the client to the app.
func (t tunnel) ReadFrom(r io.Reader) (int64, error) { return copySmall(t.ReadWriteCloser, r) }

// copySmall hides whatever else the two ends can do.
func copySmall(w io.Writer, r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, tunnelBuffer))
}
