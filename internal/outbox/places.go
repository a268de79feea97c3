package outbox

// places are the deliveries that a Runner may have under way.
//
// One client holds at most perClient of them, so that a client that does not answer leaves
// room for the others. A claim takes at most half of that, and nothing from a client that
// holds more than half. So no claim exceeds the limit, and no claimed message has to wait.
type places struct {
	free      int
	perClient int            // at least 2; 0 for no limit
	held      map[string]int // by client
}

func newPlaces(parallel, perClient int) *places {
	return &places{free: parallel, perClient: perClient, held: map[string]int{}}
}

// next returns how many messages a claim may take, and the clients from which it takes
// none.
func (p *places) next() (limit int, busy []string) {
	if p.perClient == 0 {
		return p.free, nil
	}
	for client := range p.held {
		if p.busy(client) {
			busy = append(busy, client)
		}
	}
	return min(p.free, p.perClient/2), busy
}

func (p *places) busy(client string) bool { return p.perClient > 0 && p.held[client] > p.perClient/2 }

func (p *places) take(client string) {
	p.free--
	p.held[client]++
}

// giveBack frees a place. It reports whether claims have left out messages of the client.
func (p *places) giveBack(client string) (wasBusy bool) {
	wasBusy = p.busy(client)
	p.free++
	if p.held[client]--; p.held[client] == 0 {
		delete(p.held, client)
	}
	return wasBusy
}
