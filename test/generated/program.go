// What a program does with the client that oapi-codegen makes; prints what it was answered, as JSON.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/generated/sluice"
)

func main() {
	baseURL, token := os.Args[1], os.Args[2]
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client, err := sluice.NewClientWithResponses(baseURL, sluice.WithRequestEditorFn(authorize))
	check(err)
	ctx := context.Background()

	added, err := client.AddTransactionWithResponse(ctx, nil, transaction("go"))
	check(err)
	again, err := client.AddTransactionWithResponse(ctx, nil, transaction("go"))
	check(err)
	batch := []sluice.Transaction{transaction("go"), transaction("go 2")}
	listed, err := client.AddTransactionBatchWithResponse(ctx, nil, batch)
	check(err)
	found, err := client.CheckTransactionWithResponse(ctx, &sluice.CheckTransactionParams{TxId: "go"})
	check(err)

	var reason any = map[string]any{"scores": []any{1, nil}}
	flowed, err := client.AddOnboardingFlowWithResponse(ctx, nil, []sluice.OnboardingFlow{{
		OnboardingFlowId: "go", FlowName: "f", Outcome: "approved", OutcomeReason: &reason, Timestamp: moment,
	}})
	check(err)

	if added.JSON201 == nil || again.JSON409 == nil || listed.JSON200 == nil || found.JSON200 == nil || flowed.JSON201 == nil {
		panic(fmt.Sprintf("%s %s %s %s %s", added.Body, again.Body, listed.Body, found.Body, flowed.Body))
	}
	answers := []any{
		added.JSON201.WriteCount, again.JSON409.Code, listed.JSON200.WriteCount, found.JSON200.TxId,
		flowed.JSON201.WriteCount,
	}
	text, err := json.Marshal(answers)
	check(err)
	fmt.Println(string(text))
}

var moment = time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)

func transaction(id string) sluice.Transaction {
	sender, country := "person-1", "DE"
	return sluice.Transaction{
		TxId: id, Type: sluice.TransactionTypeDEPOSIT, Method: sluice.TransactionMethodSEPA, Currency: "EUR",
		Status: sluice.TransactionStatusSETTLED, SenderId: &sender, SenderCountry: &country, Timestamp: moment,
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
