// Package broker uses the admin interface of a broker that is served; copy it into a project.
package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Broker is a served broker, at the URL of its admin interface.
type Broker struct{ Admin string }

// AddFault sets a fault rule, in JSON, and returns its id.
func (b Broker) AddFault(ctx context.Context, rule string) (int, error) {
	var added struct{ ID int }
	err := b.call(ctx, http.MethodPost, "/v1/faults", rule, &added)
	return added.ID, err
}

// Mark returns a mark of the requests so far, for the condition "requests".
func (b Broker) Mark(ctx context.Context) (string, error) {
	var made struct{ Mark string }
	err := b.call(ctx, http.MethodPost, "/v1/marks", "", &made)
	return made.Mark, err
}

// Wait waits until a condition holds: "for=parked&api=Produce&topic=orders".
func (b Broker) Wait(ctx context.Context, condition string) error {
	return b.call(ctx, http.MethodGet, "/v1/wait?timeout_ms=30000&"+condition, "", nil)
}

// Change changes the clock or a node: "clock/advance?ms=45000", "nodes/2/pause".
func (b Broker) Change(ctx context.Context, what string) error {
	return b.call(ctx, http.MethodPost, "/v1/"+what, "", nil)
}

func (b Broker) call(ctx context.Context, method, path, body string, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, b.Admin+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, strings.TrimSpace(string(content)))
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(content, result)
}
