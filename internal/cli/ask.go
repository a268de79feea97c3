package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"portico/internal/config"
	"portico/internal/egress"
)

// errNoPort means that no other process can find the operations listener.
var errNoPort = fmt.Errorf("%w: ops_listen has no fixed port", errUsage)

// askServer sends a request without a body to the operations listener of the server of this
// machine. authorization may be empty.
func askServer(ctx context.Context, cfg config.Config, limit time.Duration, method, path, authorization string) (status int, body []byte, err error) {
	address, ok := cfg.OpsAddress()
	if !ok {
		return 0, nil, errNoPort
	}
	site := "http://" + address
	client, err := egress.New(egress.Config{Allow: []string{site}, Timeout: limit})
	if err != nil {
		return 0, nil, err
	}
	defer client.HTTP().CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, method, site+path, nil)
	if err != nil {
		return 0, nil, err
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	answer, err := client.HTTP().Do(req)
	if err != nil {
		if request, ok := errors.AsType[*url.Error](err); ok {
			err = request.Err
		}
		return 0, nil, fmt.Errorf("no server answers at ops_listen (%w)", err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
