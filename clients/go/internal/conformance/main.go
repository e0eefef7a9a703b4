// Command conformance drives the client by commands: a JSON line each on standard input, and a JSON line with
// the outcome for each on standard output. The drivers of the other languages do the same.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	sluice "github.com/sluice-intake/sluice-go"
)

type command struct {
	Op             string            `json:"op"`
	BaseURL        string            `json:"base_url"`
	APIKey         string            `json:"api_key"`
	OrganizationID string            `json:"organization_id"`
	Scopes         []sluice.Scope    `json:"scopes"`
	TimeoutMs      int               `json:"timeout_ms"`
	RetryForMs     int               `json:"retry_for_ms"`
	Collection     string            `json:"collection"`
	Records        json.RawMessage   `json:"records"`
	Key            string            `json:"key"`
	ID             string            `json:"id"`
	Reason         string            `json:"reason"`
	Basis          string            `json:"basis"`
	File           string            `json:"file"`
	BatchSize      int               `json:"batch_size"`
	EndAfterMs     int               `json:"end_after_ms"`
	Callers        [][]command       `json:"callers"`
	Offset         string            `json:"offset"`
	Types          []string          `json:"types"`
	Content        bool              `json:"content"`
	NoFollow       bool              `json:"until_end"`
	EventsMax      int               `json:"events_max"`
	Body           string            `json:"body"`
	Headers        map[string]string `json:"headers"`
	Keys           []string          `json:"keys"`
	TokenFile      string            `json:"token_file"`
	TokenFunction  bool              `json:"token_function"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	output := json.NewEncoder(os.Stdout)
	var client *sluice.Client
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		if err := output.Encode(outcomeOf(&client, c)); err != nil {
			panic(err)
		}
	}
}

func outcomeOf(client **sluice.Client, c command) map[string]any {
	result, err := run(client, c)
	if err != nil {
		return map[string]any{"error": describe(err)}
	}
	return map[string]any{"ok": result}
}

// concurrent has each caller make its calls one after another, beside the others.
func concurrent(client **sluice.Client, c command) [][]map[string]any {
	outcomes := make([][]map[string]any, len(c.Callers))
	var group sync.WaitGroup
	for at, calls := range c.Callers {
		group.Add(1)
		go func() {
			defer group.Done()
			for _, call := range calls {
				outcomes[at] = append(outcomes[at], outcomeOf(client, call))
			}
		}()
	}
	group.Wait()
	return outcomes
}

func run(client **sluice.Client, c command) (any, error) {
	ctx := context.Background()
	if c.EndAfterMs > 0 {
		bounded, cancel := context.WithTimeout(ctx, time.Duration(c.EndAfterMs)*time.Millisecond)
		defer cancel()
		ctx = bounded
	}
	switch c.Op {
	case "open":
		return open(client, c)
	case "concurrent":
		return concurrent(client, c), nil
	case "status":
		return (*client).Deletions.Status(ctx, c.ID)
	case "wait":
		return (*client).Deletions.Wait(ctx, c.ID)
	case "changes":
		return changes(ctx, *client, c)
	case "verify":
		return verify(c)
	}
	switch c.Collection {
	case "transactions":
		if c.Op == "delete" {
			return (*client).Transactions.Delete(ctx, c.ID, c.Reason, optionsOf(c)...)
		}
		return runOn(ctx, (*client).Transactions.Collection, c, clearing)
	case "persons":
		if c.Op == "delete" {
			return (*client).Persons.Delete(ctx, c.ID, c.Reason, optionsOf(c)...)
		}
		return runOn(ctx, (*client).Persons.Collection, c, nil)
	case "risk_assessments":
		return runOn(ctx, (*client).RiskAssessments, c, nil)
	}
	return nil, fmt.Errorf("there is no collection %q", c.Collection)
}

// changes ends with the page that has as many events as wanted. After each page it adds the next record.
func changes(ctx context.Context, client *sluice.Client, c command) (any, error) {
	options := sluice.ChangesOptions{Offset: c.Offset, Types: c.Types, Content: c.Content, NoFollow: c.NoFollow}
	records := []sluice.Person{}
	if c.Records != nil {
		records = decode[[]sluice.Person](c.Records)
	}
	seen := []string{}
	offset := ""
	var failure error
	client.Changes(ctx, options)(func(page *sluice.ChangePage, err error) bool {
		if failure = err; err != nil {
			return false
		}
		offset = page.Offset
		for _, event := range page.Events {
			name, _ := event.Data["name"].(string)
			seen = append(seen, strings.TrimSpace(string(event.Type)+" "+event.Subject+" "+name))
		}
		if len(records) > 0 {
			_, failure = client.Persons.Add(ctx, records[0])
			records = records[1:]
		}
		return failure == nil && len(seen) < c.EventsMax
	})
	return map[string]any{"seen": seen, "offset": offset}, failure
}

func verify(c command) (any, error) {
	header := http.Header{}
	for name, value := range c.Headers {
		header.Set(name, value)
	}
	err := sluice.VerifyWebhook([]byte(c.Body), header, c.Keys...)
	if err != nil && !errors.Is(err, sluice.ErrWebhook) {
		return nil, err
	}
	return map[string]bool{"verified": err == nil}, nil
}

func open(client **sluice.Client, c command) (any, error) {
	options := sluice.Options{
		BaseURL:        c.BaseURL,
		APIKey:         c.APIKey,
		OrganizationID: c.OrganizationID,
		Scopes:         c.Scopes,
		Timeout:        time.Duration(c.TimeoutMs) * time.Millisecond,
		RetryFor:       time.Duration(c.RetryForMs) * time.Millisecond,
	}
	if c.TokenFunction {
		options.TokenSource = func(context.Context) (string, error) {
			token, err := os.ReadFile(c.TokenFile)
			return string(token), err
		}
	} else if c.TokenFile != "" {
		options.TokenSource = sluice.TokenFile(c.TokenFile)
	}
	opened, err := sluice.New(options)
	*client = opened
	if err != nil {
		return nil, err
	}
	return map[string]string{"shown": fmt.Sprintf("%v %+v %#v", opened, opened, opened)}, nil
}

// clearing makes up for the null that a pointer can't be decoded from.
func clearing(raw json.RawMessage, update *sluice.TransactionUpdate) {
	if strings.Contains(string(raw), `"amount_usd":null`) {
		update.AmountUSD = sluice.Clear[float64]()
	}
}

func runOn[Item, Update, Existence any](
	ctx context.Context,
	collection *sluice.Collection[Item, Update, Existence],
	c command,
	adjust func(json.RawMessage, *Update),
) (any, error) {
	isList := strings.HasPrefix(string(c.Records), "[")
	switch {
	case c.Op == "add" && isList:
		return collection.AddList(ctx, decode[[]Item](c.Records), optionsOf(c)...)
	case c.Op == "add":
		return collection.Add(ctx, decode[Item](c.Records), optionsOf(c)...)
	case c.Op == "update" && isList:
		return collection.UpdateList(ctx, decode[[]Update](c.Records), optionsOf(c)...)
	case c.Op == "update":
		update := decode[Update](c.Records)
		if adjust != nil {
			adjust(c.Records, &update)
		}
		return collection.Update(ctx, update, optionsOf(c)...)
	case c.Op == "exists":
		found, err := collection.Exists(ctx, c.ID)
		return map[string]any{"found": found}, err
	case c.Op == "add_all":
		return addAll(ctx, collection, c)
	}
	return nil, fmt.Errorf("there is no operation %q", c.Op)
}

func addAll[Item, Update, Existence any](
	ctx context.Context, collection *sluice.Collection[Item, Update, Existence], c command,
) (any, error) {
	upload := collection.AddAll(linesOf[Item](c.File), sluice.WithBatchSize(c.BatchSize))
	refusals := []map[string]any{}
	var failure error
	upload.Run(ctx)(func(refusal sluice.Refusal[Item], err error) bool {
		if failure = err; err == nil {
			refusals = append(refusals, map[string]any{
				"index": refusal.Index, "code": refusal.Code, "fields": fieldsOf(refusal.Errors),
			})
		}
		return true
	})
	t := upload.Tally()
	tally := map[string]int{
		"received": t.Received, "written": t.Written, "unchanged": t.Unchanged, "refused": t.Refused,
	}
	return map[string]any{"refusals": refusals, "tally": tally}, failure
}

func linesOf[Item any](path string) func(yield func(Item, error) bool) {
	return func(yield func(Item, error) bool) {
		var item Item
		file, err := os.Open(path)
		if err != nil {
			yield(item, err)
			return
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if !yield(decode[Item](lines.Bytes()), nil) {
				return
			}
		}
	}
}

func decode[T any](raw []byte) T {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		panic(err)
	}
	return value
}

func optionsOf(c command) []sluice.CallOption {
	var options []sluice.CallOption
	if c.Key != "" {
		options = append(options, sluice.WithIdempotencyKey(c.Key))
	}
	if c.Basis != "" {
		options = append(options, sluice.WithBasis(sluice.DeletionStatusBasis(c.Basis)))
	}
	return options
}

func fieldsOf(items []sluice.ErrorItem) []string {
	fields := []string{}
	for _, item := range items {
		fields = append(fields, item.Field)
	}
	return fields
}

func describe(err error) any {
	shown := fmt.Sprintf("%v %+v %#v", err, err, err)
	var refusal *sluice.Error
	var network *sluice.NetworkError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return map[string]any{"kind": "ended", "message": err.Error(), "shown": shown}
	case errors.As(err, &refusal):
		return map[string]any{
			"kind": "refused", "status": refusal.Status, "code": refusal.Code,
			"fields": fieldsOf(refusal.Errors), "message": err.Error(), "key": orNull(refusal.IdempotencyKey),
			"has_request_id": refusal.RequestID != "", "shown": shown,
		}
	case errors.As(err, &network):
		return map[string]any{
			"kind": "network", "status": 0, "code": 0, "fields": []string{}, "message": err.Error(),
			"key": orNull(network.IdempotencyKey), "has_request_id": false, "shown": shown,
		}
	}
	return map[string]any{"kind": "argument", "message": err.Error(), "shown": shown}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
