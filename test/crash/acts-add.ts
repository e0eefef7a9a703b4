// What a connection does to add records: one, a strict list, a lenient list, a stream; also records
// that others add too.

import { request } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { type Ask, readReply, type Reply, urlOf } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import type { SentChange, SentRecord } from "./ledger.ts";
import { exchange, newRecord, numbered, type Sender, submit } from "./sender.ts";

const lonersMax = 300;

export function listPath({ resourceType, batchPath }: RecordType): string {
  return `/v2/${batchPath ?? resourceType}`;
}

export async function addOne(sender: Sender): Promise<void> {
  const { random } = sender.generator;
  const type = random.pick(recordTypes);
  const { record, payload } = newRecord(sender, type);
  const added = await submit(sender, {
    method: "POST",
    path: `/v2/${type.resourceType}`,
    body: payload,
    changes: [sender.ledger.change(record, payload)],
    atomic: true,
    idempotent: random.chance(0.3),
  });
  if (added) keepUnrelated(sender, [record]);
}

/** One in six holds an item that has to be rejected, and with it the whole list. */
export async function addList(sender: Sender): Promise<void> {
  const { random } = sender.generator;
  const type = random.pick(recordTypes);
  const corrupted = random.chance(0.16) ? random.pick(["invalid", "existing"] as const) : undefined;
  const { items, records, changes, existing } = makeItems(sender, type, {
    count: random.integer(2, 40),
    corrupted,
  });
  const refusedWith = existing ? 409 : 400;
  const added = await submit(sender, {
    method: "POST",
    path: listPath(type),
    body: items,
    changes,
    atomic: true,
    idempotent: random.chance(0.3),
    ...(corrupted === undefined ? {} : { refusedWith }),
  });
  if (added && corrupted === undefined) keepUnrelated(sender, records);
}

export async function addLenient(sender: Sender): Promise<void> {
  const { random } = sender.generator;
  const type = random.pick(recordTypes);
  const { items, records, changes } = makeMixedItems(sender, type, random.integer(1, 40));
  const added = await submit(sender, {
    method: "POST",
    path: listPath(type),
    headers: { prefer: "handling=lenient" },
    body: items,
    changes,
    atomic: false,
    idempotent: random.chance(0.3),
  });
  if (added) keepUnrelated(sender, records);
}

export async function addStream(sender: Sender): Promise<void> {
  const { random } = sender.generator;
  const type = random.pick(recordTypes);
  const { items, records, changes } = makeMixedItems(sender, type, random.integer(5, 300));
  const lines = items.map((item) => JSON.stringify(item));
  if (random.chance(0.3)) {
    lines.push('{"half":');
    changes.push(undefined);
  }
  const added = await submit(sender, {
    method: "POST",
    path: listPath(type),
    headers: { "content-type": "application/x-ndjson" },
    body: lines.join("\n"),
    changes,
    atomic: false,
    exchange: (ask) => sendInPieces(sender.client.address, ask, random.integer(1, 12)),
  });
  if (added) keepUnrelated(sender, records);
}

/** The ids that all connections of an organization try to add first. */
export interface Contest {
  nextId(): string;
}

export async function contend(sender: Sender, contest: Contest): Promise<void> {
  const { ledger, generator, customer } = sender;
  const type = generator.random.pick(recordTypes.slice(5, 6));
  const id = contest.nextId();
  const payload = generator.record(type, { [type.idField]: id, ...numbered(sender) });
  const record = ledger.record(type, {
    organizationId: customer.organizationId,
    id,
    contested: true,
  });
  const change = ledger.change(record, payload);
  const path = `/v2/${type.resourceType}`;
  const ask: Ask = { method: "POST", path, token: sender.token, body: payload };
  const reply = await exchange(sender, ask);
  if (reply === undefined) return;
  change.standing = reply.status === 201 ? "stored" : "absent";
  record.toldToExist = true;
  if (reply.status !== 201 && reply.status !== 409) {
    ledger.findings.push(`POST ${path} of a contested id: ${reply.status} ${reply.text}`);
  }
}

export function keepUnrelated(sender: Sender, records: readonly SentRecord[]): void {
  sender.loners.push(...records);
  if (sender.loners.length > lonersMax) sender.loners = sender.loners.slice(-lonersMax / 2);
}

interface Items {
  readonly items: Fields[];
  /** The ids that have to be added. */
  readonly records: SentRecord[];
  readonly changes: (SentChange | undefined)[];
}

function makeItems(
  sender: Sender,
  type: RecordType,
  { count, corrupted }: { count: number; corrupted: "invalid" | "existing" | undefined },
): Items & { existing: boolean } {
  const known = sender.loners.find((record) => record.type === type);
  // A list of transactions accepts an id that exists, and stores a further change.
  const existing = corrupted === "existing" && known !== undefined && type.batchPath === undefined;
  const at = corrupted === undefined ? -1 : sender.generator.random.integer(0, count - 1);
  const made: Items = { items: [], records: [], changes: [] };
  for (let index = 0; index < count; index += 1) {
    const overrides = index === at && existing ? { [type.idField]: known.id } : {};
    const { record, payload } = newRecord(sender, type, overrides);
    if (index === at && !existing) payload["timestamp"] = "yesterday";
    made.items.push(payload);
    made.records.push(record);
    made.changes.push(sender.ledger.change(record, payload, { doomed: corrupted !== undefined }));
  }
  return { ...made, existing };
}

/** One in six is to be rejected by itself. */
function makeMixedItems(sender: Sender, type: RecordType, count: number): Items {
  const made: Items = { items: [], records: [], changes: [] };
  for (let index = 0; index < count; index += 1) {
    const doomed = sender.generator.random.chance(0.16);
    const { record, payload } = newRecord(sender, type);
    if (doomed) payload["timestamp"] = "yesterday";
    else made.records.push(record);
    made.items.push(payload);
    made.changes.push(sender.ledger.change(record, payload, { doomed }));
  }
  return made;
}

/** On a connection of its own, in chunks with one event-loop tick between them. */
async function sendInPieces(address: string, ask: Ask, pieces: number): Promise<Reply> {
  const body = Buffer.from(String(ask.body));
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  // It can be rejected before anybody awaits it, while chunks are still being sent.
  promise.catch(() => undefined);
  const headers = { ...ask.headers, authorization: `Bearer ${ask.token ?? ""}` };
  const sending = request(urlOf(address, ask), { method: ask.method, headers }, (response) => {
    readReply(response).then(resolve, reject);
  });
  sending.on("error", reject);
  const size = Math.ceil(body.length / pieces);
  for (let from = 0; from < body.length && !sending.destroyed; from += size) {
    sending.write(body.subarray(from, from + size));
    await nextTurn();
  }
  sending.end();
  return promise;
}
