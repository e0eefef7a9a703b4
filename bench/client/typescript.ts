// The concurrent calls of `npm run bench -- clients` by the TypeScript client.

import { Sluice } from "../../client/src/sluice.ts";

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

function open(batching: boolean): Sluice {
  return new Sluice({
    baseUrl: environment("SLUICE_URL"),
    apiKey: environment("SLUICE_API_KEY"),
    organizationId: environment("SLUICE_ORGANIZATION"),
    batching,
  });
}

const clients = { single: open(false), batched: open(true) };
const callers = Number(environment("BENCH_CALLERS"));
const milliseconds = Number(environment("BENCH_SECONDS")) * 1_000;
let last = 0;

async function callUntil(client: Sluice, end: number): Promise<number> {
  let calls = 0;
  while (performance.now() < end) {
    last += 1;
    await client.transactions.add({
      tx_id: `ts-${last}`,
      type: "DEPOSIT",
      method: "SEPA",
      amount: 1250.5,
      currency: "EUR",
      status: "SETTLED",
      sender_id: "person-81",
      sender_country: "DE",
      timestamp: "2026-01-31T09:30:00Z",
    });
    calls += 1;
  }
  return calls;
}

async function perSecond(client: Sluice): Promise<number> {
  const begun = performance.now();
  const end = begun + milliseconds;
  const calls = await Promise.all(Array.from({ length: callers }, () => callUntil(client, end)));
  const sum = calls.reduce((total, count) => total + count, 0);
  return (sum * 1_000) / (performance.now() - begun);
}

for (let round = 0; round < Number(environment("BENCH_ROUNDS")); round += 1) {
  const single = await perSecond(clients.single);
  const batched = await perSecond(clients.batched);
  process.stdout.write(`${JSON.stringify({ single, batched })}\n`);
}
