// The requests of each operation as text, with a new id in every write. Floor and product get the same requests, except
// for the Authorization header.

import { hash, randomUUID } from "node:crypto";

export const operationNames = ["add", "batch", "update", "check"] as const;
export type OperationName = (typeof operationNames)[number];

/**
 * ordered: ids that grow, like a sequence or a ULID, so that new index entries share pages.
 * random: UUIDv4, so that every new record dirties a different index page.
 */
export const idOrders = ["ordered", "random"] as const;
export type IdOrder = (typeof idOrders)[number];

export const batchItems = 100;
/** Records that exist before updates and checks begin. */
export const seedRecords = 100_000;

export interface RequestOptions {
  readonly ids: IdOrder;
  /** Different in every round, so that no id is used twice; 0 for the seeding. */
  readonly round: number;
  readonly token: string | undefined;
  /** Items in each list of `batch`. Default: batchItems. */
  readonly itemsOfList?: number;
}

/** Returns the next request of an operation. */
export type RequestSource = () => string;

export function makeRequests(name: OperationName | "seed", options: RequestOptions): RequestSource {
  const send = sender(options.token);
  const nextId = name === "seed" ? seedIds(options) : newIds(options);
  const seeds = name === "update" || name === "check" ? pick(options.ids) : nextId;
  let sent = 0;
  switch (name) {
    case "add":
      return () => send("POST", "/v2/transaction", transaction(nextId()));
    case "seed":
    case "batch":
      return () => {
        const length = options.itemsOfList ?? batchItems;
        const items = Array.from({ length }, () => transaction(nextId()));
        return send("POST", "/v2/transactions/batch", `[${items.join(",")}]`);
      };
    case "update":
      return () => send("PUT", "/v2/transaction", settled(seeds(), (sent += 1), options.round));
    case "check":
    default:
      return () => send("GET", `/v2/transaction?tx_id=${seeds()}`);
  }
}

/** All fields of a transaction except its id, with enough variation that neighbours differ. */
const particulars = Array.from({ length: 997 }, (_, index) => {
  const currency = ["EUR", "USD", "CHF"][index % 3];
  const [from, to] = index % 2 === 0 ? ["DE", "FR"] : ["US", "CA"];
  const timestamp = new Date(Date.UTC(2026, 0, 31) + index * 86_629).toISOString();
  return (
    `"type":"DEPOSIT","method":"SEPA","amount":${(index * 17.01).toFixed(2)},"currency":"${currency}",` +
    `"status":"PENDING","sender_id":"customer-${1_000_000 + index}","sender_country":"${from}",` +
    `"receiver_id":"merchant-${50_000 + index}","receiver_country":"${to}","timestamp":"${timestamp}"}`
  );
});
let lastTransaction = 0;

function transaction(id: string): string {
  lastTransaction += 1;
  return `{"tx_id":"${id}",${particulars[lastTransaction % particulars.length]}`;
}

/** Later than all earlier changes, so that last_seen moves each time. */
function settled(id: string, sent: number, round: number): string {
  const fraction = `${String(round).padStart(3, "0")}${String(sent).padStart(9, "0")}`;
  return `{"tx_id":"${id}","status":"SETTLED","timestamp":"2026-01-31T10:30:00.${fraction}Z"}`;
}

function sender(token: string | undefined) {
  const common = `Host: 127.0.0.1\r\n${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}`;
  return (method: string, path: string, body?: string): string => {
    const head = `${method} ${path} HTTP/1.1\r\n${common}`;
    if (body === undefined) return `${head}\r\n`;
    // The bodies are ASCII, so characters are bytes.
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
}

function newIds({ ids, round }: RequestOptions): () => string {
  let last = 0;
  return ids === "random" ? randomUUID : () => orderedId(round, (last += 1));
}

function seedIds({ ids }: RequestOptions): () => string {
  let last = 0;
  return () => seedId(ids, (last += 1));
}

/** Cycles through the seeded records in order; with random ids, this visits the index in random order. */
function pick(ids: IdOrder): () => string {
  const known = Array.from({ length: seedRecords }, (_, index) => seedId(ids, index + 1));
  let last = 0;
  return () => known[(last += 1) % seedRecords] ?? "";
}

/** The same for the same number, so that the seeds need not be stored. */
function seedId(ids: IdOrder, number: number): string {
  if (ids === "ordered") return orderedId(0, number);
  const hex = hash("sha256", String(number), "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** 26 characters, like a ULID. */
function orderedId(round: number, number: number): string {
  return `tx-${String(round).padStart(10, "0")}-${String(number).padStart(12, "0")}`;
}
