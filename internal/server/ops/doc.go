// Package ops is the door of the operations listener: whether the process
// lives, whether it should get requests, and its figures.
//
// It is meant for the machines that run Portico and is not protected: the
// listener is on the loopback address unless the operator says otherwise. It
// does not collect figures; it serves the handler that it is given.
package ops
