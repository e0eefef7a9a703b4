package sluice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// sarService answers as the service does. A request waits for permission, if there is a channel for it.
type sarService struct {
	mutex   sync.Mutex
	first   []func(http.ResponseWriter)
	arrived chan string
	permit  chan struct{}
	sent    []sentSars
}

type sentSars struct {
	method string
	key    string
	isList bool
	ids    []string
}

func (s *sarService) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if request.URL.Path == "/auth/token" {
		fmt.Fprint(writer, `{"token":"sluice_token_secret"}`)
		return
	}
	body, _ := io.ReadAll(request.Body)
	isList := request.Header.Get("Prefer") == "handling=lenient, verdicts=single"
	records := []CustomerSar{{}}
	if isList {
		_ = json.Unmarshal(body, &records)
	} else {
		_ = json.Unmarshal(body, &records[0])
	}
	sent := sentSars{method: request.Method, key: request.Header.Get("Idempotency-Key"), isList: isList}
	reply := WriteResult{Success: true, WriteCount: 1, Message: "1.", OrganizationID: "o"}
	for index, record := range records {
		sent.ids = append(sent.ids, record.SARID)
		reply.Results = append(reply.Results, WriteItemResult{Index: int64(index), Status: "created", Message: "1."})
	}
	s.mutex.Lock()
	s.sent = append(s.sent, sent)
	var answer func(http.ResponseWriter)
	if isList && len(s.first) > 0 {
		answer, s.first = s.first[0], s.first[1:]
	}
	s.mutex.Unlock()
	if s.permit != nil {
		s.arrived <- strings.Join(sent.ids, ",")
		<-s.permit
	}
	if answer != nil {
		answer(writer)
		return
	}
	writer.WriteHeader(201)
	_ = json.NewEncoder(writer).Encode(reply)
}

func serve(t *testing.T, options Options, s *sarService) *Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	options.BaseURL, options.APIKey, options.OrganizationID = server.URL, key, "o"
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func addSar(ctx context.Context, client *Client, id string, options ...CallOption) error {
	record := CustomerSar{SARID: id, Status: CustomerSarStatusPending, Timestamp: time.Now()}
	result, err := client.CustomerSars.Add(ctx, record, options...)
	if err == nil && (result.WriteCount != 1 || result.Message != "1." || result.OrganizationID != "o") {
		return fmt.Errorf("an incomplete result: %v", result)
	}
	return err
}

// inBackground starts a call and waits until it is sent or waits to be sent.
func inBackground(client *Client, call func() error) chan error {
	calls := client.CustomerSars.calls
	count := func() int {
		calls.mutex.Lock()
		defer calls.mutex.Unlock()
		return len(calls.waiting) + len(calls.busy)
	}
	before, outcome := count(), make(chan error, 1)
	go func() { outcome <- call() }()
	for count() == before {
		time.Sleep(100 * time.Microsecond)
	}
	return outcome
}

// gathered holds one request up, starts two calls that make a list, and returns their errors.
func gathered(t *testing.T, options Options, s *sarService) []error {
	t.Helper()
	s.arrived, s.permit = make(chan string, 16), make(chan struct{}, 16)
	client := serve(t, options, s)
	var outcomes []chan error
	calls := client.CustomerSars.calls
	calls.inFlight = requestsMax
	for _, id := range []string{"a", "b"} {
		outcomes = append(outcomes, inBackground(client, func() error {
			return addSar(context.Background(), client, id)
		}))
	}
	for range 8 {
		s.permit <- struct{}{}
	}
	calls.mutex.Lock()
	calls.inFlight = 0
	calls.mutex.Unlock()
	calls.send()
	return []error{<-outcomes[0], <-outcomes[1]}
}

func TestConcurrentCallsAreLists(t *testing.T) {
	s := &sarService{}
	client := serve(t, Options{}, s)
	var group sync.WaitGroup
	for at := range 640 {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := addSar(context.Background(), client, fmt.Sprint(at)); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	ids := map[string]bool{}
	for _, sent := range s.sent {
		for _, id := range sent.ids {
			ids[id] = true
		}
	}
	if len(ids) != 640 || len(s.sent) > 320 {
		t.Errorf("%d ids in %d requests", len(ids), len(s.sent))
	}
}

func TestCallsAreSentAlone(t *testing.T) {
	for _, options := range []Options{{}, {NoBatching: true}} {
		s := &sarService{}
		client := serve(t, options, s)
		for _, id := range []string{"a", "b"} {
			if err := addSar(context.Background(), client, id); err != nil {
				t.Error(err)
			}
		}
		if err := addSar(context.Background(), client, "c", WithIdempotencyKey("mine")); err != nil {
			t.Error(err)
		}
		if len(s.sent) != 3 || s.sent[0].isList || s.sent[1].isList || s.sent[2].key != "mine" {
			t.Error(s.sent)
		}
	}
}

func TestCallsForOneRecordKeepTheirOrder(t *testing.T) {
	s := &sarService{arrived: make(chan string, 16), permit: make(chan struct{}, 16)}
	client := serve(t, Options{}, s)
	ctx := context.Background()
	update := func() error {
		_, err := client.CustomerSars.Update(ctx, CustomerSarUpdate{SARID: "a", Timestamp: time.Now()})
		return err
	}
	outcomes := []chan error{inBackground(client, func() error { return addSar(ctx, client, "a") })}
	if id := <-s.arrived; id != "a" {
		t.Fatal(id)
	}
	outcomes = append(outcomes, inBackground(client, update))
	outcomes = append(outcomes, inBackground(client, func() error { return addSar(ctx, client, "b") }))
	if id := <-s.arrived; id != "b" {
		t.Fatal(id)
	}
	for range 3 {
		s.permit <- struct{}{}
	}
	for _, outcome := range outcomes {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	if last := s.sent[2]; last.method != "PUT" || last.ids[0] != "a" {
		t.Error(s.sent)
	}
}

func TestCallsThatEndBeforeTheyAreSentAreNeverSent(t *testing.T) {
	s := &sarService{arrived: make(chan string, 16), permit: make(chan struct{}, 16)}
	client := serve(t, Options{}, s)
	var outcomes []chan error
	for at := range requestsMax {
		outcomes = append(outcomes, inBackground(client, func() error {
			return addSar(context.Background(), client, fmt.Sprint(at))
		}))
		<-s.arrived
	}
	ctx, cancel := context.WithCancel(context.Background())
	late := inBackground(client, func() error { return addSar(ctx, client, "late") })
	cancel()
	if err := <-late; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for range requestsMax {
		s.permit <- struct{}{}
	}
	for _, outcome := range outcomes {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	s.permit <- struct{}{}
	if err := addSar(context.Background(), client, "last"); err != nil {
		t.Error(err)
	}
	for _, sent := range s.sent {
		if slices.Contains(sent.ids, "late") {
			t.Error(s.sent)
		}
	}
}

func TestListEndsWhenAllItsCallsHaveEnded(t *testing.T) {
	s := &sarService{arrived: make(chan string, 16), permit: make(chan struct{})}
	client := serve(t, Options{}, s)
	t.Cleanup(func() { close(s.permit) })
	calls := client.CustomerSars.calls
	calls.inFlight = requestsMax
	var outcomes []chan error
	var cancels []context.CancelFunc
	for _, id := range []string{"a", "b"} {
		ctx, cancel := context.WithCancel(context.Background())
		cancels = append(cancels, cancel)
		outcomes = append(outcomes, inBackground(client, func() error { return addSar(ctx, client, id) }))
	}
	list := calls.waiting[0]
	calls.inFlight = 0
	calls.send()
	<-s.arrived
	for at, cancel := range cancels {
		if list.list.ctx.Err() != nil {
			t.Error("the list has ended")
		}
		cancel()
		var network *NetworkError
		if err := <-outcomes[at]; !errors.As(err, &network) || network.IdempotencyKey != fmt.Sprintf("%s.%d", list.list.key, at) {
			t.Error(err)
		}
	}
	<-list.list.ctx.Done()
}

func TestCallsGetTheErrorOfTheirListWithTheKeyOfTheirItem(t *testing.T) {
	for _, answer := range []func(http.ResponseWriter){refuse(42901, "Retry-After", "7"), refuse(40104), reply(201, "{")} {
		s := &sarService{first: []func(http.ResponseWriter){answer}}
		for at, err := range gathered(t, Options{RetryFor: NoRetries}, s) {
			var refusal *Error
			var network *NetworkError
			own := ""
			if errors.As(err, &refusal) {
				own = refusal.IdempotencyKey
			} else if errors.As(err, &network) {
				own = network.IdempotencyKey
			}
			if own != fmt.Sprintf("%s.%d", s.sent[0].key, at) {
				t.Error(own, err)
			}
		}
	}
}

func TestCallsAreSentOneByOneIfTheirListIsRefusedForItsSize(t *testing.T) {
	page := func(writer http.ResponseWriter) { http.Error(writer, "<html>", 413) }
	for _, answer := range []func(http.ResponseWriter){page, refuse(41301)} {
		s := &sarService{first: []func(http.ResponseWriter){answer}}
		for _, err := range gathered(t, Options{}, s) {
			if err != nil {
				t.Error(err)
			}
		}
		alone := map[string]string{}
		for _, sent := range s.sent[1:] {
			alone[sent.ids[0]] = sent.key
		}
		if len(s.sent) != 3 || alone["a"] != s.sent[0].key+".0" || alone["b"] != s.sent[0].key+".1" {
			t.Error(s.sent)
		}
	}
}

func TestCallsFailWithoutVerdictsAndAreSentAloneThen(t *testing.T) {
	s := &sarService{first: []func(http.ResponseWriter){reply(201, written)}}
	for _, err := range gathered(t, Options{}, s) {
		if !errors.Is(err, errNoVerdict) {
			t.Error(err)
		}
	}
}

func TestCallsAreSentAloneAfterAStrictListWasRefused(t *testing.T) {
	s := &sarService{first: []func(http.ResponseWriter){refuse(CodeIdenticalRecordExists)}}
	for _, err := range gathered(t, Options{}, s) {
		if err != nil {
			t.Error(err)
		}
	}
	if len(s.sent) != 3 || len(s.sent[1].ids) != 1 || len(s.sent[2].ids) != 1 {
		t.Error(s.sent)
	}
}
