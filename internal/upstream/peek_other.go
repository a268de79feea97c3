//go:build !unix

package upstream

const canPeek = false

func (c *conn) silent() bool { return false }
