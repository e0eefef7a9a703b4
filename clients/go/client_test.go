package sluice

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const key = "sluice_key_secret"

const written = `{"success":true,"write_count":1,"message":"1.","organization_id":"o"}`

// script answers the nth request with the nth answer, and all further ones with the last.
type script struct {
	mutex         sync.Mutex
	answers       []func(http.ResponseWriter)
	sent          []http.Header
	bodies        []string
	tokenRequests int
}

func (s *script) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if request.URL.Path == "/auth/token" {
		s.tokenRequests++
		fmt.Fprintf(writer, `{"token":"sluice_token_secret_%d"}`, s.tokenRequests)
		return
	}
	body := new(strings.Builder)
	_ = request.Write(body)
	s.sent = append(s.sent, request.Header)
	s.bodies = append(s.bodies, body.String())
	s.answers[min(len(s.sent), len(s.answers))-1](writer)
}

func start(t *testing.T, options Options, answers ...func(http.ResponseWriter)) (*Client, *script) {
	t.Helper()
	s := &script{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	options.BaseURL, options.APIKey, options.OrganizationID = server.URL, key, "o"
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client, s
}

func reply(status int, body string, header ...string) func(http.ResponseWriter) {
	return func(writer http.ResponseWriter) {
		writer.Header().Set("Content-Type", "application/json")
		for at := 0; at+1 < len(header); at += 2 {
			writer.Header().Set(header[at], header[at+1])
		}
		writer.WriteHeader(status)
		_, _ = writer.Write([]byte(body))
	}
}

func refuse(code int, header ...string) func(http.ResponseWriter) {
	return reply(code/100, fmt.Sprintf(`{"code":%d,"message":"No."}`, code), header...)
}

func add(client *Client, options ...CallOption) error {
	record := CustomerSar{SARID: "sar-1", Status: CustomerSarStatusPending, Timestamp: time.Now()}
	_, err := client.CustomerSars.Add(context.Background(), record, options...)
	return err
}

func TestFailuresAreTriedAgainUnderTheSameKey(t *testing.T) {
	half := reply(409, `{"code":`)
	page := func(writer http.ResponseWriter) { http.Error(writer, "<html>", 502) }
	client, s := start(t, Options{}, half, page, refuse(50301), reply(201, written))
	if err := add(client); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, header := range s.sent {
		keys[header.Get("Idempotency-Key")] = true
	}
	if len(s.sent) != 4 || len(keys) != 1 || s.bodies[0] == "" {
		t.Fatalf("%d requests with %d keys", len(s.sent), len(keys))
	}
}

func TestRefusalsAreTriedOnce(t *testing.T) {
	for _, code := range []int{40000, 40104, 40301, 40901, 42201} {
		client, s := start(t, Options{}, refuse(code))
		var refusal *Error
		if err := add(client); !errors.As(err, &refusal) || refusal.Code != code || len(s.sent) != 1 {
			t.Errorf("%d: %v after %d requests", code, err, len(s.sent))
		}
	}
}

func TestASuccessWithoutWhatTheCallReturnsIsNone(t *testing.T) {
	ctx := context.Background()
	for _, other := range []func(http.ResponseWriter){reply(200, `{"ok":true}`), reply(200, "[]"), reply(204, "")} {
		client, _ := start(t, Options{RetryFor: NoRetries}, other)
		_, exists := client.CustomerSars.Exists(ctx, "sar-1")
		_, deleted := client.Persons.Delete(ctx, "p", "a test")
		_, status := client.Deletions.Status(ctx, "del_1")
		for at, err := range []error{add(client), exists, deleted, status} {
			var network *NetworkError
			if !errors.As(err, &network) {
				t.Errorf("%d: %v", at, err)
			}
		}
	}
}

func TestRetriesEndAndSayHowToMakeSure(t *testing.T) {
	client, s := start(t, Options{RetryFor: time.Millisecond}, reply(201, "{"))
	var network *NetworkError
	err := add(client, WithIdempotencyKey("mine"))
	if !errors.As(err, &network) || network.IdempotencyKey != "mine" || network.Attempts != len(s.sent) {
		t.Fatal(err)
	}
	if len(s.sent) < 2 {
		t.Fatal(len(s.sent))
	}
}

func TestBasisIsForDeletionsAlone(t *testing.T) {
	client, s := start(t, Options{}, reply(201, written))
	var wrong *OptionError
	if err := add(client, WithBasis(DeletionStatusBasisOther)); !errors.As(err, &wrong) || len(s.sent) > 0 {
		t.Error(err, s.sent)
	}
}

func TestDelaysDoubleUpToTenSeconds(t *testing.T) {
	policy := newRetryPolicy(time.Minute)
	longest := []float64{0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10}
	for nth, seconds := range longest {
		delay, again := policy.delayAfter(&NetworkError{})
		if !again || delay.Seconds() > seconds {
			t.Errorf("%d: %v, at most %v", nth, delay, seconds)
		}
	}
}

// outage has a call fail until the service is back, by a clock that only its delays move. It returns when the
// call succeeded, or when it was given up.
func outage(retryFor, away time.Duration, err error) (time.Duration, bool) {
	begun := time.Now()
	clock := begun
	policy := newRetryPolicy(retryFor)
	policy.now = func() time.Time { return clock }
	for clock.Sub(begun) < away {
		delay, again := policy.delayAfter(err)
		if !again {
			return clock.Sub(begun), false
		}
		clock = clock.Add(delay)
	}
	return clock.Sub(begun), true
}

func TestARestartOf30SecondsLosesNoCall(t *testing.T) {
	unavailable := &Error{Status: 503, Code: CodeUnavailable, RetryAfter: time.Second}
	for range 300 {
		for _, err := range []error{&NetworkError{}, unavailable} {
			if at, found := outage(2*time.Minute, 30*time.Second, err); !found || at > 42*time.Second {
				t.Fatal(at, found)
			}
			// To the end, but for a second that Retry-After does not leave, and no longer.
			if at, found := outage(2*time.Minute, time.Hour, err); found || at < 119*time.Second || at > 2*time.Minute {
				t.Fatal(at, found)
			}
		}
	}
	late := &Error{Status: 503, Code: CodeUnavailable, RetryAfter: 11 * time.Second}
	if at, found := outage(10*time.Second, time.Minute, late); found || at != 0 {
		t.Error("waits for a service that says that it takes longer", at)
	}
}

func TestFailuresBeforeAnAnswerAreOver(t *testing.T) {
	clock := time.Now()
	policy := newRetryPolicy(time.Minute)
	policy.now = func() time.Time { return clock }
	for _, err := range []error{&NetworkError{}, &Error{Status: 429}, &NetworkError{}} {
		if _, again := policy.delayAfter(err); !again {
			t.Fatal(err)
		}
		clock = clock.Add(50 * time.Second)
	}
}

func TestRetryAfterIsHonouredAndNoFailure(t *testing.T) {
	policy := newRetryPolicy(2 * time.Minute)
	for range 10 {
		refusal := &Error{Status: 429, Code: CodeRateLimited, RetryAfter: 3 * time.Second}
		if delay, again := policy.delayAfter(refusal); !again || delay < 3*time.Second || delay > 4*time.Second {
			t.Fatal(delay, again)
		}
	}
	if _, again := policy.delayAfter(&Error{Status: 429, RetryAfter: 121 * time.Second}); again {
		t.Error("waits for longer than two minutes")
	}
	soon := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	if delay := readRetryAfter(soon); delay < 28*time.Second || delay > 30*time.Second {
		t.Error(delay)
	}
	if readRetryAfter("9999999999") < 24*time.Hour {
		t.Error("a long Retry-After is taken for none")
	}
	if readRetryAfter("2") != 2*time.Second || readRetryAfter("soon") != 0 {
		t.Error("Retry-After is not read")
	}
}

func TestStaleTokenIsRenewedOnce(t *testing.T) {
	client, s := start(t, Options{}, refuse(40103), reply(201, written), refuse(40102))
	if err := add(client); err != nil || s.tokenRequests != 2 {
		t.Fatal(err, s.tokenRequests)
	}
	if s.sent[0].Get("Idempotency-Key") != s.sent[1].Get("Idempotency-Key") {
		t.Error("another key")
	}
	if add(client) == nil || s.tokenRequests != 3 {
		t.Error("renewed again and again")
	}
}

func TestTokenIsRenewedBeforeItsEnd(t *testing.T) {
	client, s := start(t, Options{NoBatching: true}, reply(201, written))
	if err := add(client); err != nil {
		t.Fatal(err)
	}
	left := time.Until(client.session.kept.renewAt)
	if left < 58*time.Minute || left > 59*time.Minute {
		t.Error(left)
	}
	client.session.kept.renewAt = time.Now()
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := add(client); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	if s.tokenRequests != 2 {
		t.Error(s.tokenRequests)
	}
}

func TestContextEndsACall(t *testing.T) {
	client, _ := start(t, Options{}, refuse(50301, "Retry-After", "60"))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := client.Transactions.Exists(ctx, "tx-secret")
	var network *NetworkError
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &network) {
		t.Fatal(err)
	}
	if strings.Contains(err.Error(), "tx-secret") {
		t.Error("the error holds the id: ", err)
	}
}

func TestNothingShowsASecret(t *testing.T) {
	client, _ := start(t, Options{}, refuse(40000))
	err := add(client)
	options := Options{APIKey: key}
	shown := fmt.Sprintf("%v %+v %#v %v %+v %#v %v %#v", client, client, client, err, err, err, options, options)
	if strings.Contains(shown, key) || strings.Contains(shown, "token_secret") {
		t.Error(shown)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	client, _ := start(t, Options{}, func(writer http.ResponseWriter) {
		writer.Header().Set("Location", "http://127.0.0.1:9/")
		writer.WriteHeader(http.StatusFound)
	})
	if err := add(client); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Error(err)
	}
}

func noToken(context.Context) (string, time.Time, error) { return "t", time.Now(), nil }

func TestAKeyMayHaveTheLineEndOfItsFile(t *testing.T) {
	s := &script{answers: []func(http.ResponseWriter){reply(201, written)}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client, err := New(Options{BaseURL: server.URL + "/", APIKey: key + "\n", OrganizationID: "o"})
	if err == nil {
		err = add(client)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestWithoutAFirstReplyTheCauseIsToldSoon(t *testing.T) {
	clock := time.Now()
	policy := newRetryPolicy(2 * time.Minute)
	policy.now = func() time.Time { return clock }
	for again := true; again; {
		var delay time.Duration
		policy.unanswered = true
		delay, again = policy.delayAfter(&NetworkError{})
		clock = clock.Add(delay)
	}
	if taken := clock.Sub(policy.failingSince); taken < 4*time.Second || taken > 6*time.Second {
		t.Error(taken)
	}
	site := func(writer http.ResponseWriter, _ *http.Request) { writer.Write([]byte("<html></html>")) }
	server := httptest.NewServer(http.HandlerFunc(site))
	client, err := New(Options{BaseURL: server.URL, GetToken: noToken, RetryFor: NoRetries})
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []string{"is not from Sluice", "connection refused"} {
		err = add(client)
		if err == nil || !strings.Contains(err.Error(), cause) || client.session.connection.answered.Load() {
			t.Error(err)
		}
		server.Close()
	}
}

func TestWrongOptionsAreNamedAndNotRepeated(t *testing.T) {
	good := Options{BaseURL: "https://a.example", APIKey: key, OrganizationID: "o"}
	wrong := map[string]func(*Options){
		"BaseURL":        func(o *Options) { o.BaseURL = "https://user:hidden@a.example" },
		"APIKey":         func(o *Options) { o.APIKey = "hidden key" },
		"TokenSource":    func(o *Options) { o.APIKey, o.TokenSource, o.GetToken = "", TokenFile("hidden"), noToken },
		"OrganizationID": func(o *Options) { o.OrganizationID = "" },
		"TokenLifetime":  func(o *Options) { o.TokenLifetime = time.Second },
		"RetryFor":       func(o *Options) { o.RetryFor = -time.Second },
		"Timeout":        func(o *Options) { o.Timeout = -1 },
	}
	for _, change := range []func(*Options){
		func(o *Options) { o.TokenSource = TokenFile("hidden") },
		func(o *Options) { o.GetToken = noToken },
		func(o *Options) { o.BaseURL += "/hidden" },
	} {
		options := good
		change(&options)
		if _, err := New(options); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Error(err)
		}
	}
	for name, change := range wrong {
		options := good
		change(&options)
		_, err := New(options)
		var wrongOption *OptionError
		if !errors.As(err, &wrongOption) || wrongOption.Option != name || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJSONIsExact(t *testing.T) {
	for _, text := range []string{"ü", "\ufffd", `\ufffd`, `\\ufffd`, "<&>"} {
		if _, err := toJSON(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"\xff", "\\\xff", "a\ufffd\xc3"} {
		if _, err := toJSON(text); err == nil {
			t.Errorf("%q is sent as another text", text)
		}
	}
	update := TransactionUpdate{TxID: "t", AmountUSD: Clear[float64](), SenderID: Set("p")}
	body, err := toJSON(update)
	expected := `{"tx_id":"t","amount_usd":null,"sender_id":"p","timestamp":"0001-01-01T00:00:00Z"}`
	if err != nil || string(body) != expected {
		t.Error(string(body), err)
	}
}

func TestUploadReadsNoFurtherThanOneList(t *testing.T) {
	results := `[{"index":0,"status":"refused","code":40901,"message":"No."}]`
	client, s := start(t, Options{}, reply(200, `{"write_count":9,"results":`+results+`}`))
	read := 0
	source := func(yield func(CustomerSar, error) bool) {
		for ; read < 100; read++ {
			if !yield(CustomerSar{}, nil) {
				return
			}
		}
	}
	upload := client.CustomerSars.AddAll(source, WithBatchSize(10))
	upload.Run(context.Background())(func(refusal Refusal[CustomerSar], err error) bool {
		if err != nil || refusal.Index != 0 || refusal.Code != CodeIdenticalRecordExists {
			t.Error(refusal, err)
		}
		return false
	})
	if tally := upload.Tally(); read != 9 || len(s.sent) != 1 || tally != (Tally{10, 9, 0, 1}) {
		t.Error(read, len(s.sent), tally)
	}
}

func TestUploadHalvesAListThatIsRefusedWhole(t *testing.T) {
	var client *Client
	var s *script
	client, s = start(t, Options{}, func(writer http.ResponseWriter) {
		body := s.bodies[len(s.bodies)-1]
		if strings.Contains(body, `"sar-5"`) {
			refuse(41301)(writer)
			return
		}
		reply(200, fmt.Sprintf(`{"write_count":%d}`, strings.Count(body, "sar_id")))(writer)
	})
	var records []CustomerSar
	for nth := range 8 {
		records = append(records, CustomerSar{SARID: fmt.Sprintf("sar-%d", nth)})
	}
	upload := client.CustomerSars.AddAll(SliceSource(records))
	var refused []int
	upload.Run(context.Background())(func(refusal Refusal[CustomerSar], err error) bool {
		refused = append(refused, refusal.Index)
		return err == nil
	})
	if fmt.Sprint(refused) != "[5]" || upload.Tally() != (Tally{8, 7, 0, 1}) {
		t.Error(refused, upload.Tally())
	}
}

func TestUploadSendsWhatCameBeforeAnError(t *testing.T) {
	client, _ := start(t, Options{}, reply(200, `{"write_count":1}`))
	ended := errors.New("the file ended")
	upload := client.CustomerSars.AddAll(func(yield func(CustomerSar, error) bool) {
		_ = yield(CustomerSar{}, nil) && yield(CustomerSar{}, ended)
	})
	var last error
	upload.Run(context.Background())(func(_ Refusal[CustomerSar], err error) bool {
		last = err
		return true
	})
	if !errors.Is(last, ended) || upload.Tally().Written != 1 {
		t.Error(last, upload.Tally())
	}
}

func TestRepliesKeepWhatANewerServiceSays(t *testing.T) {
	var status DeletionStatus
	text := `{"status":"completed","receipt":{"type":"x","unknown":1.50}}`
	if err := json.Unmarshal([]byte(text), &status); err != nil || string(status.Receipt) != `{"type":"x","unknown":1.50}` {
		t.Error(err, string(status.Receipt))
	}
	if _, err := Timestamp("2026-01-31T09:30:00.125+02:00").Time(); err != nil {
		t.Error(err)
	}
}

func TestAWebhookThatIsNotVerifiedSaysWhy(t *testing.T) {
	key := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	header := http.Header{}
	for _, step := range []struct{ name, value, reason string }{
		{"Webhook-Id", "msg_1", "the header Webhook-Timestamp is missing"},
		{"Webhook-Signature", "v1,AAAA", "the header Webhook-Timestamp is missing"},
		{"Webhook-Timestamp", "1", "not recent"},
		{"Webhook-Timestamp", strconv.FormatInt(time.Now().Unix(), 10), "no signature matches"},
	} {
		header.Set(step.name, step.value)
		err := VerifyWebhook([]byte("{}"), header, key)
		if !errors.Is(err, ErrWebhook) || !strings.Contains(err.Error(), step.reason) {
			t.Errorf("%v, not because %s", err, step.reason)
		}
	}
}
