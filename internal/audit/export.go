package audit

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"time"

	"portico/internal/legible"
)

// Format is the form of an export.
type Format string

const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// Writer writes facts as they come, each with the name of who made the change, and with its detail for people
// to read. The caller calls Flush after each page.
type Writer interface {
	Write(f Fact, madeBy, about string) error
	Flush() error
}

// NewWriter returns a Writer in a format.
func NewWriter(w io.Writer, format Format) Writer {
	if format == CSV {
		return &csvWriter{csv: csv.NewWriter(w)}
	}
	return &jsonWriter{json.NewEncoder(w)}
}

func columns() []string {
	return []string{"id", "at", "name", "account_id", "actor", "network", "user_agent", "request_id", "detail", "words", "made_by", "about"}
}

type csvWriter struct {
	csv   *csv.Writer
	begun bool
}

// Write implements Writer. The first line has the names of the columns.
func (w *csvWriter) Write(f Fact, madeBy, about string) error {
	if err := w.begin(); err != nil {
		return err
	}
	row := []string{f.ID, f.At.Format(time.RFC3339Nano), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail, f.Name.Words(), madeBy, about}
	for i, cell := range row {
		row[i] = legible.Inert(cell)
	}
	return w.csv.Write(row)
}

func (w *csvWriter) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.csv.Write(columns())
}

// Flush implements Writer. An empty export has the first line too.
func (w *csvWriter) Flush() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.csv.Flush()
	return w.csv.Error()
}

type jsonWriter struct{ json *json.Encoder }

// Write implements Writer.
func (w *jsonWriter) Write(f Fact, madeBy, about string) error {
	line := struct {
		ID        string `json:"id"`
		At        string `json:"at"`
		Name      Name   `json:"name"`
		AccountID string `json:"account_id"`
		Actor     string `json:"actor"`
		Network   string `json:"network"`
		UserAgent string `json:"user_agent"`
		RequestID string `json:"request_id"`
		Detail    string `json:"detail"`
		Words     string `json:"words"`
		MadeBy    string `json:"made_by"`
		About     string `json:"about"`
	}{f.ID, f.At.Format(time.RFC3339Nano), f.Name, f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail, f.Name.Words(), madeBy, about}
	return w.json.Encode(line)
}

// Flush implements Writer.
func (w *jsonWriter) Flush() error { return nil }
