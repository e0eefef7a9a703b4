// Plausible transactions and risk assessments, made up from a seed: the same seed gives the same records.

import type { Payload } from "../../domain/record-type.ts";
import type { DemoInput, Source } from "./input.ts";
import { makeRandom, type Random } from "./random.ts";

const start = Date.UTC(2026, 0, 1);
const spanMs = 90 * 86_400_000;

interface Market {
  readonly country: string;
  readonly currency: string;
  /** Units of the currency to the US dollar, roughly. */
  readonly perDollar: number;
  readonly methods: readonly [string, ...string[]];
}

const markets: readonly [Market, ...Market[]] = [
  {
    country: "US",
    currency: "USD",
    perDollar: 1,
    methods: ["ACH", "CARD", "WIRE", "FEDNOW", "RTP"],
  },
  { country: "DE", currency: "EUR", perDollar: 0.92, methods: ["SEPA", "CARD", "APPLE_PAY"] },
  { country: "FR", currency: "EUR", perDollar: 0.92, methods: ["SEPA", "CARD", "GOOGLE_PAY"] },
  { country: "GB", currency: "GBP", perDollar: 0.79, methods: ["SWIFT", "CARD", "APPLE_PAY"] },
  { country: "JP", currency: "JPY", perDollar: 150, methods: ["SWIFT", "CARD"] },
];

export function generateInput({ count, seed }: { count: number; seed: number }): DemoInput {
  const people = Math.max(10, Math.ceil(count / 10));
  return {
    transactions: source(count, seed, (random, index) =>
      makeTransaction(random, { index, count, people }),
    ),
    assessments: source(people, seed + 1, makeAssessment),
    origin: `generated from seed ${seed}`,
  };
}

/** Only the risk assessments, for transactions that come from elsewhere. */
export function generateAssessments({ count, seed }: { count: number; seed: number }): Source {
  return source(count, seed, makeAssessment);
}

function source(
  count: number,
  seed: number,
  make: (random: Random, index: number) => Payload,
): Source {
  return {
    count,
    // eslint-disable-next-line typescript/require-await -- what reads a file has to wait, and this stands in for it
    read: async function* () {
      const random = makeRandom(seed);
      for (let index = 0; index < count; index += 1) yield make(random, index);
    },
  };
}

function makeTransaction(
  random: Random,
  { index, count, people }: { index: number; count: number; people: number },
): Payload {
  const market = random.pick(markets);
  const dollars = amountInDollars(random);
  const inside = random.next() < 0.2;
  const sent = random.next() < 0.5;
  const digits = market.currency === "JPY" ? 0 : 2;
  const at = start + Math.floor((spanMs * (index + random.next())) / count);
  const sender = { sender_id: person(random.below(people)), sender_country: market.country };
  const receiver = { receiver_id: person(random.below(people)), receiver_country: market.country };
  return {
    tx_id: `tx-${index + 1}`,
    type: sent ? "WITHDRAWAL" : "DEPOSIT",
    method: inside ? "INTERNAL_TRANSFER" : random.pick(market.methods),
    amount: Number((dollars * market.perDollar).toFixed(digits)),
    currency: market.currency,
    status: "CREATED",
    amount_usd: dollars,
    ...(inside || sent ? sender : {}),
    ...(inside || !sent ? receiver : {}),
    timestamp: new Date(at).toISOString(),
  };
}

/** Many small amounts and few large ones: normal in the logarithm, around 65 dollars. */
function amountInDollars(random: Random): number {
  const normal =
    Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Number(Math.exp(4.2 + 1.3 * normal).toFixed(2));
}

function makeAssessment(random: Random, index: number): Payload {
  const chance = random.next();
  return {
    assessment_id: `assessment-${index + 1}`,
    type: "onboarding risk band",
    outcome: chance < 0.02 ? "CRITICAL" : chance < 0.08 ? "HIGH" : chance < 0.3 ? "MEDIUM" : "LOW",
    related_person_id: person(index),
    timestamp: new Date(start - random.below(spanMs)).toISOString(),
  };
}

function person(index: number): string {
  return `person-${index + 1}`;
}
