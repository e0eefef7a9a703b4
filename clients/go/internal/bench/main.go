// Command bench makes the concurrent calls of `npm run bench -- clients`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	sluice "github.com/sluice-intake/sluice-go"
)

var (
	callers = numberOf("BENCH_CALLERS")
	period  = time.Duration(numberOf("BENCH_SECONDS")) * time.Second
	last    atomic.Int64
)

func main() {
	single, batched := open(true), open(false)
	for range numberOf("BENCH_ROUNDS") {
		rates := map[string]float64{"single": perSecond(single), "batched": perSecond(batched)}
		if err := json.NewEncoder(os.Stdout).Encode(rates); err != nil {
			panic(err)
		}
	}
}

func numberOf(name string) int {
	number, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		panic(err)
	}
	return number
}

func open(noBatching bool) *sluice.Client {
	client, err := sluice.New(sluice.Options{
		BaseURL:        os.Getenv("SLUICE_URL"),
		APIKey:         os.Getenv("SLUICE_API_KEY"),
		OrganizationID: os.Getenv("SLUICE_ORGANIZATION"),
		NoBatching:     noBatching,
	})
	if err != nil {
		panic(err)
	}
	return client
}

func perSecond(client *sluice.Client) float64 {
	begun := time.Now()
	var calls atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Since(begun) < period {
				add(client)
				calls.Add(1)
			}
		}()
	}
	group.Wait()
	return float64(calls.Load()) / time.Since(begun).Seconds()
}

func add(client *sluice.Client) {
	_, err := client.Transactions.Add(context.Background(), sluice.Transaction{
		TxID:          fmt.Sprintf("go-%d", last.Add(1)),
		Type:          sluice.TransactionTypeDeposit,
		Method:        sluice.TransactionMethodSEPA,
		Amount:        sluice.Ptr(1250.5),
		Currency:      "EUR",
		Status:        sluice.TransactionStatusSettled,
		SenderID:      sluice.Ptr("person-81"),
		SenderCountry: sluice.Ptr("DE"),
		Timestamp:     time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC),
	})
	if err != nil {
		panic(err)
	}
}
