// What every client has to do, as commands for its driver and the outcomes that are expected: the same list for all
// languages. An outcome may hold more than is expected of it. `$id` and `$offset` stand for the last
// deletion_request_id and the last offset that were answered.

import { attemptOf, type Choose, faults, type Passing } from "../client/faulty-proxy.ts";
import { makeRandom } from "../support/random.ts";
import type { Fields } from "../support/record-generator.ts";

export type Command = Readonly<Record<string, unknown>> & { readonly op: string };
export type Outcome = Readonly<Record<string, unknown>>;

export interface Step {
  readonly command: Command;
  readonly outcome: Outcome;
}

export interface Scenario {
  readonly title: string;
  /** Which server is behind the proxy; the limited one takes a request a second. */
  readonly server?: "limited";
  /** Whether the client has a token of a platform instead of an API key, from a file or a function. */
  readonly tokenSource?: "file" | "function";
  /** Options of the client over those that suit tests. */
  readonly options?: Fields;
  /** What the proxy does to requests; nothing if left out. A new one for each run. */
  readonly choose?: () => Choose;
  readonly steps: readonly Step[];
  /** Ids of transactions, and how many changes of each have to be in the store. */
  readonly stored?: Readonly<Record<string, number>>;
  /** Requests that the proxy has to have seen at least, those for tokens included. */
  readonly requestsMin?: number;
}

const timestamp = "2026-01-31T09:30:00Z";

export function transaction(id: string, more: Fields = {}): Fields {
  return {
    tx_id: id,
    type: "DEPOSIT",
    method: "SEPA",
    amount: 1250.5,
    currency: "EUR",
    status: "PENDING",
    amount_usd: 1362.8,
    sender_id: "person-81",
    sender_country: "DE",
    timestamp,
    ...more,
  };
}

function step(command: Command, outcome: Outcome): Step {
  return { command, outcome };
}

function on(op: string, collection: string, more: Fields): Command {
  return { op, collection, ...more };
}

const add = (records: unknown, more: Fields = {}) =>
  on("add", "transactions", { records, ...more });
const update = (records: unknown) => on("update", "transactions", { records });
const follow = (more: Fields): Command => ({ op: "changes", types: ["person"], ...more });
const created = "sluice.person.created";
const exists = (id: string) => on("exists", "transactions", { id });
const settled = { status: "SETTLED", timestamp: "2026-02-01T08:00:00Z" };

function written(count: number): Outcome {
  return { ok: { success: true, write_count: count } };
}

/** The token is of no use once, and asked for again. */
function withStaleToken(): Choose {
  let isDone = false;
  return (passing: Passing) => {
    if (!isDone && passing.path.startsWith("/v2/")) {
      Object.assign(passing.headers, { authorization: "Bearer sluice_token_of_nobody" });
      isDone = true;
    }
    return "none";
  };
}

/** The first attempt of each call meets the next fault. */
function everyFault(): Choose {
  let turn = 0;
  return (passing) =>
    attemptOf(passing) === 1 ? (faults[turn++ % faults.length] ?? "none") : "none";
}

function cutOff(): Choose {
  return (passing) =>
    attemptOf(passing) === 1 && passing.path !== "/auth/token" ? "truncate" : "none";
}

function nowAndThen(): Choose {
  const random = makeRandom(77);
  return (passing) => (attemptOf(passing) < 3 && random.chance(0.4) ? random.pick(faults) : "none");
}

const refusedFields = {
  kind: "refused",
  status: 400,
  code: 40000,
  fields: ["currency", "sender_country"],
  has_request_id: true,
};

const faultyIds = Array.from({ length: faults.length }, (_, nth) => `faulty-${nth}`);
const erasedId = "faulty-0";

export const invalidLines = [7, 1_200, 2_999];
export const lines: readonly Fields[] = Array.from({ length: 3_000 }, (_, nth) =>
  transaction(`line-${nth}`, invalidLines.includes(nth) ? { currency: "XYZ" } : {}),
);

/** Those that wait come first; they take the longest. */
export const scenarios: readonly Scenario[] = [
  {
    title: "waits as long as Retry-After says, and counts that as no failure",
    server: "limited",
    options: { retry_for_ms: 60_000, timeout_ms: 30_000 },
    steps: ["limit-1", "limit-2", "limit-3", "limit-4"].map((id) =>
      step(add(transaction(id)), written(1)),
    ),
    stored: { "limit-1": 1, "limit-2": 1, "limit-3": 1, "limit-4": 1 },
    requestsMin: 6,
  },
  {
    title: "has the effect of each call once, whatever happens to its first attempt",
    choose: everyFault,
    steps: [
      ...faultyIds
        .slice(0, 2)
        .map((id) => step(on("add", "risk_assessments", { records: assessment(id) }), written(1))),
      ...faultyIds.map((id) => step(add(transaction(id)), written(1))),
      ...faultyIds.map((id) => step(update({ tx_id: id, ...settled }), written(1))),
      ...faultyIds.slice(0, 4).map((id) => step(exists(id), { ok: { found: { tx_id: id } } })),
      step(on("delete", "transactions", { id: erasedId, reason: "a test" }), {
        ok: { tx_id: erasedId },
      }),
      step({ op: "wait", id: "$id" }, { ok: { status: "completed", erased: { transaction: 1 } } }),
    ],
    stored: Object.fromEntries(faultyIds.map((id) => [id, id === erasedId ? 0 : 2])),
    requestsMin: 45,
  },
  {
    title: "ends a call that takes too long, and one that no server answers",
    // Long enough for a token on a busy machine.
    options: { retry_for_ms: 11_000, timeout_ms: 10_000 },
    choose: () => (passing) => (passing.path === "/auth/token" ? "none" : "delay"),
    steps: [
      step(add(transaction("late"), { end_after_ms: 250 }), { error: { kind: "ended" } }),
      step(add(transaction("never"), { key: "again" }), {
        error: { kind: "network", status: 0, code: 0, key: "again" },
      }),
    ],
  },
  {
    title: "adds, updates, clears a field and checks, one record and a list",
    steps: [
      step(add(transaction("one")), written(1)),
      step(add([transaction("two"), transaction("three")]), written(2)),
      step(update({ tx_id: "one", ...settled }), written(1)),
      step(
        update({ tx_id: "one", amount_usd: null, timestamp: "2026-02-02T00:00:00Z" }),
        written(1),
      ),
      step(update([{ tx_id: "two", ...settled }]), written(1)),
      step(exists("one"), {
        ok: { found: { tx_id: "one", first_seen: timestamp, last_seen: "2026-02-02T00:00:00Z" } },
      }),
      step(exists("n/a?&=% ü"), { ok: { found: null } }),
    ],
    stored: { one: 3, two: 2, three: 1 },
  },
  {
    title: "renews a token that the service does not accept any more",
    choose: withStaleToken,
    steps: [
      step(add(transaction("renewed")), written(1)),
      step(exists("renewed"), { ok: { found: { tx_id: "renewed" } } }),
    ],
    stored: { renewed: 1 },
    requestsMin: 5,
  },
  ...(["file", "function"] as const).map((tokenSource) => ({
    title: `reads the token of its platform from a ${tokenSource} again for each access token`,
    tokenSource,
    choose: withStaleToken,
    steps: [step(add(transaction(`from-${tokenSource}`)), written(1))],
    stored: { [`from-${tokenSource}`]: 1 },
    requestsMin: 4,
  })),
  {
    title: "reads no reply that is interrupted in its middle",
    choose: cutOff,
    steps: [
      step(add(transaction("cut")), written(1)),
      step(exists("cut"), { ok: { found: { tx_id: "cut", first_seen: timestamp } } }),
    ],
    stored: { cut: 1 },
    requestsMin: 5,
  },
  {
    title: "uploads lines through faults, tells of the invalid ones, and writes the others once",
    choose: nowAndThen,
    steps: [
      step(on("add_all", "transactions", { file: "$lines", batch_size: 500 }), {
        ok: {
          refusals: invalidLines.map((index) => ({ index, code: 40000, fields: ["currency"] })),
          tally: { received: 3_000, written: 2_997, unchanged: 0, refused: 3 },
        },
      }),
      step(on("add_all", "transactions", { file: "$lines", batch_size: 1_000 }), {
        ok: { tally: { received: 3_000, written: 0, unchanged: 2_997, refused: 3 } },
      }),
    ],
    stored: { "line-0": 1, "line-1": 1, "line-499": 1, "line-500": 1, "line-2998": 1, "line-7": 0 },
  },
  {
    title: "follows changes through faults, from the offset where it was, and waits for the next",
    choose: nowAndThen,
    steps: [
      step(follow({ offset: "now", events_max: 0 }), { ok: { seen: [] } }),
      step(on("add", "persons", { records: person("p-1") }), written(1)),
      step(on("add", "persons", { records: [person("p-2"), person("p-3")] }), written(2)),
      step(follow({ offset: "$offset", events_max: 5, records: [person("p-4"), person("p-5")] }), {
        ok: { seen: ["p-1", "p-2", "p-3", "p-4", "p-5"].map((id) => `${created} ${id}`) },
      }),
      step(follow({ offset: "$offset", events_max: 1, end_after_ms: 400 }), {
        error: { kind: "ended" },
      }),
      step(follow({ offset: "-1", events_max: 9, until_end: true, content: true }), {
        ok: { seen: [1, 2, 3, 4, 5].map((number) => `${created} p-${number} Ada`) },
      }),
      // At the end there is no page, so the driver has no offset either.
      step(follow({ offset: "$offset", events_max: 1, until_end: true }), {
        ok: { seen: [], offset: "" },
      }),
      step(follow({ offset: "f".repeat(51), events_max: 1 }), {
        error: { kind: "refused", status: 400, code: 40000, fields: ["offset"] },
      }),
    ],
    requestsMin: 12,
  },
  {
    title: "deletes a record, waits until that is done, and has its receipt",
    steps: [
      step(add(transaction("gone")), written(1)),
      step(
        on("delete", "transactions", { id: "gone", reason: "a test", basis: "contract_ended" }),
        { ok: { tx_id: "gone" } },
      ),
      step(
        { op: "wait", id: "$id" },
        {
          ok: {
            status: "completed",
            basis: "contract_ended",
            erased: { transaction: 1 },
            receipt: { type: "sluice-deletion-receipt", asked: { reason: "a test" } },
          },
        },
      ),
      step({ op: "status", id: "$id" }, { ok: { status: "completed", resource_id: "gone" } }),
      step(exists("gone"), { ok: { found: null } }),
      step(
        { op: "wait", id: "del_none" },
        { error: { kind: "refused", status: 404, code: 40402 } },
      ),
    ],
    stored: { gone: 0 },
  },
  {
    title: "tells refusals by code, with the fields, and gives the first outcome again for a key",
    steps: [
      step(add(transaction("wrong", { currency: "XYZ", sender_country: "QQ" }), { key: "mine" }), {
        error: { ...refusedFields, key: "mine" },
      }),
      step(add(transaction("kept"), { key: "once" }), written(1)),
      step(add(transaction("kept"), { key: "once" }), written(1)),
      step(add(transaction("other"), { key: "once" }), { error: { status: 422, code: 42201 } }),
      step(add(transaction("kept")), { error: { status: 409, code: 40901 } }),
      step(update({ tx_id: "nobody", ...settled }), { error: { status: 404, code: 40401 } }),
      step(add(transaction("spaced"), { key: "a key" }), { error: { kind: "argument" } }),
    ],
    stored: { wrong: 0, kept: 1, other: 0 },
  },
];

function person(id: string): Fields {
  return { person_id: id, is_test_user: true, is_retail_customer: true, name: "Ada", timestamp };
}

function assessment(id: string): Fields {
  return { assessment_id: id, type: "onboarding", outcome: "LOW", timestamp };
}
