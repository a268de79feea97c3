package zxcvbn

import (
	"strings"

	"github.com/trustelem/zxcvbn/adjacency"
	"github.com/trustelem/zxcvbn/match"
)

const shortestRow = 3 // keys

// keyboards returns the rows of neighbouring keys.
func keyboards(t text) []*match.Match {
	var found []*match.Match
	for _, name := range []string{"qwerty", "dvorak", "keypad", "mac_keypad"} {
		graph := adjacency.Graphs[name]
		for i := 0; i < len(t.plain)-1; {
			m := row(t, i, graph)
			if m.J-m.I+1 >= shortestRow {
				found = append(found, m)
			}
			i = m.J + 1
		}
	}
	return found
}

// row follows the neighbours from a key on.
func row(t text, i int, graph *adjacency.Graph) *match.Match {
	const shifted = `~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:"ZXCVBNM<>?`
	turns, shifts, last := 0, 0, -1
	if !strings.HasSuffix(graph.Name, "keypad") && strings.IndexByte(shifted, t.plain[i]) >= 0 {
		shifts++
	}
	end := i + 1
	for ; end < len(t.plain); end++ {
		direction, shift := towards(graph.Graph[t.plain[end-1:end]], t.plain[end])
		if direction < 0 {
			break
		}
		if shift {
			shifts++
		}
		if direction != last { // the first step is a turn as well
			turns, last = turns+1, direction
		}
	}
	m := t.match("spatial", i, end)
	m.Graph, m.Turns, m.ShiftedCount = graph.Name, turns, shifts
	return m
}

// towards returns the direction of a key among the neighbours of another, -1
// when it is none, and whether it needs shift.
func towards(neighbours []string, key byte) (direction int, shift bool) {
	for direction, keys := range neighbours {
		if at := strings.IndexByte(keys, key); at >= 0 {
			return direction, at == 1
		}
	}
	return -1, false
}
