// Package sluice is the client of Sluice, a self-hosted intake service for financial records. Whatever
// fails, a call takes effect once, because all attempts of a call have the same Idempotency-Key.
//
// A Client has a collection for every type of record, and may be used by many goroutines at once:
//
//	client, err := sluice.New(sluice.Options{
//		BaseURL:        "https://intake.example.com",
//		APIKey:         os.Getenv("SLUICE_API_KEY"),
//		OrganizationID: "acme",
//	})
//	result, err := client.Transactions.Add(ctx, transaction)
//
// If the service refuses a request, the error is an *Error; distinguish refusals by Code. A *NetworkError
// means that no complete reply arrived, so it is unknown whether the call took effect.
package sluice
