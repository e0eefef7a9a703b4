// Package sluice is the client of Sluice, a self-hosted intake service for financial records. Whatever
// happens on the way, a call has its effect once: all attempts of a call have one Idempotency-Key.
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
// A refusal of the service is an *Error; tell refusals apart by Code. A *NetworkError means that no whole
// reply came, so that it is not known whether the call had its effect.
package sluice
