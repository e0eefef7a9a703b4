// What a connection does around deletions: requests one, sends what belongs to a record that is being deleted, asks for
// the status of deletions, and adds an erased id again. What a deletion erases and what it keeps, by the contract alone
// (section 7). Written without reference to src/domain/deletion/erasure.ts, so that the two can agree only by being
// right.

import type { Ask, Reply } from "../support/http-client.ts";
import { keepUnrelated } from "./acts-add.ts";
import { type AskedDeletion, type Ledger, type SentRecord, sortedJson, textOf } from "./ledger.ts";
import { only } from "./families.ts";
import { typeNamed } from "../conformance/scene.ts";
import { exchange, newKey, newRecord, type Sender, submit } from "./sender.ts";
import type { Fields } from "../support/record-generator.ts";

/** Requests the deletion of the head of a family, or of a single record. */
export async function askDeletion(sender: Sender): Promise<AskedDeletion | undefined> {
  const family = takeFamily(sender);
  const [target] = family;
  if (target === undefined) return undefined;
  const idempotent = sender.generator.random.chance(0.3);
  const ask = deletionAsk(sender, target, idempotent);
  for (const record of family) record.disturbed = true;
  const deletion: AskedDeletion = {
    target,
    family,
    ask,
    sender: sender.name,
    idempotent,
    deletionRequestId: undefined,
    standing: "unknown",
    late: [],
  };
  sender.ledger.deletions.push(deletion);
  const reply = await exchange(sender, ask);
  if (reply === undefined) return undefined;
  settleDeletion(sender, deletion, reply);
  return deletion;
}

export function settleDeletion(sender: Sender, deletion: AskedDeletion, reply: Reply): void {
  const { deletion_request_id: id } = reply.body;
  if (reply.status !== 200 || id === undefined) {
    sender.ledger.findings.push(`${describe(deletion)} was refused: ${reply.status} ${reply.text}`);
    deletion.standing = "never opened";
    return;
  }
  deletion.deletionRequestId = id;
  deletion.standing = "open";
  sender.openDeletions.push(deletion);
}

/** A dependent of a record under deletion: erased with it, unless it arrived too late. */
export async function addLate(sender: Sender): Promise<void> {
  const deletion = sender.openDeletions.find(({ late }) => late.length === 0);
  if (deletion === undefined) return;
  const { target } = deletion;
  const type = typeNamed("screening");
  const field =
    target.type.idField === "tx_id" ? "related_tx_id" : `related_${target.type.idField}`;
  const { record, payload } = newRecord(sender, type, only(type, { [field]: target.id }));
  record.disturbed = true;
  const change = sender.ledger.change(record, payload);
  deletion.late.push(change);
  const path = `/v2/${type.resourceType}`;
  await submit(sender, { method: "POST", path, body: payload, changes: [change], atomic: true });
}

/** Asks for the status of the open deletions of this connection. */
export async function checkDeletionStates(sender: Sender): Promise<void> {
  for (const deletion of sender.openDeletions) {
    // It is still in the list if the connection was cut off after its end.
    if (deletion.standing !== "open") continue;
    const status = await checkDeletion(sender, deletion);
    if (sender.cutOff) return;
    // A late record that still names the id would be erased with the new record too.
    if (status !== "completed" || deletion.late.length > 0) continue;
    if (sender.generator.random.chance(0.4)) await addErasedAgain(sender, deletion);
  }
  sender.openDeletions = sender.openDeletions.filter(({ standing }) => standing === "open");
}

export async function checkDeletion(
  sender: Sender,
  deletion: AskedDeletion,
): Promise<string | undefined> {
  const query = { deletion_request_id: deletion.deletionRequestId ?? "" };
  const ask: Ask = { method: "GET", path: "/v2/deletion_request", query, token: sender.token };
  const reply = await exchange(sender, ask);
  if (reply === undefined) return undefined;
  const { status, erased } = reply.body as { status?: string; erased?: Record<string, number> };
  if (reply.status !== 200 || status === undefined) {
    sender.ledger.findings.push(
      `the status of ${describe(deletion)}: ${reply.status} ${reply.text}`,
    );
  } else if (status === "completed") {
    completeDeletion(sender.ledger, deletion, erased ?? {});
    keepSurvivors(sender, deletion);
  }
  return status;
}

/** Whether to count what may have arrived too late to be erased. */
export function completeDeletion(
  ledger: Ledger,
  deletion: AskedDeletion,
  erased: Readonly<Record<string, number>>,
): void {
  const expected = countGone(deletion);
  for (const type of new Set([...Object.keys(expected), ...Object.keys(erased)])) {
    const least = expected[type] ?? 0;
    const most =
      least + deletion.late.filter((late) => late.record.type.resourceType === type).length;
    const count = erased[type] ?? 0;
    if (count >= least && count <= most) continue;
    const range = least === most ? `${least}` : `${least} to ${most}`;
    ledger.findings.push(`${describe(deletion)} erased ${count} of ${type}, not ${range}`);
  }
  applyErasure(deletion);
  deletion.standing = "completed";
}

function keepSurvivors(sender: Sender, { target, family }: AskedDeletion): void {
  const left = family.filter(
    (record) => record !== target && record.changes.some(({ standing }) => standing === "stored"),
  );
  const heads = left.filter(({ type }) => type.deletable === true);
  if (heads.length === 0) return;
  sender.families.push([...heads, ...left.filter((record) => !heads.includes(record))]);
}

async function addErasedAgain(sender: Sender, { target }: AskedDeletion): Promise<void> {
  const overrides = only(target.type, { [target.type.idField]: target.id });
  const { record, payload } = newRecord(sender, target.type, overrides);
  const added = await submit(sender, {
    method: "POST",
    path: `/v2/${target.type.resourceType}`,
    body: payload,
    changes: [sender.ledger.change(record, payload)],
    atomic: true,
  });
  if (added) keepUnrelated(sender, [record]);
}

function takeFamily(sender: Sender): readonly SentRecord[] {
  const family = sender.families.shift();
  if (family !== undefined) return family;
  const alone = sender.loners.find(({ type }) => type.deletable === true);
  if (alone === undefined) return [];
  sender.loners = sender.loners.filter((record) => record !== alone);
  return [alone];
}

function deletionAsk(sender: Sender, { type, id }: SentRecord, idempotent: boolean): Ask {
  const common = {
    token: sender.token,
    ...(idempotent ? { headers: { "idempotency-key": newKey(sender) } } : {}),
  };
  const reason = "asked for by a crash campaign";
  if (sender.generator.random.chance(0.5)) {
    const path = `/v2/${type.resourceType}`;
    return { method: "DELETE", path, body: { [type.idField]: id, reason }, ...common };
  }
  const body = { resource_type: type.resourceType, resource_id: id, reason };
  return { method: "POST", path: "/v2/deletion_request", body, ...common };
}

export function describe({ target, deletionRequestId }: AskedDeletion): string {
  return `the deletion ${deletionRequestId ?? ""} of ${target.type.resourceType} ${target.id}`;
}

/**
 * Marks what a completed deletion erased as erased, and redacts references to it from what stays.
 */
function applyErasure({ target, family, late }: AskedDeletion): void {
  const gone = findErased(target, family);
  const names = new Set([...gone].map(({ type, id }) => `${type.resourceType}/${id}`));
  for (const record of family) {
    if (gone.has(record)) eraseChanges(record);
    else redactChanges(record, names);
  }
  for (const change of late) if (change.standing === "stored") change.standing = "unknown";
}

/** How many records of each type are erased, without those that may have arrived too late. */
function countGone({ target, family }: AskedDeletion): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of findErased(target, family)) {
    counts[type.resourceType] = (counts[type.resourceType] ?? 0) + 1;
  }
  return counts;
}

/** The target, and at any depth what belongs to nothing else that stays. */
function findErased(target: SentRecord, family: readonly SentRecord[]): ReadonlySet<SentRecord> {
  const gone = new Set([target]);
  const names = new Set([`${target.type.resourceType}/${target.id}`]);
  const belongings = new Map(family.map((record) => [record, belongsTo(record)]));
  for (let before = 0; before !== gone.size;) {
    before = gone.size;
    for (const [record, holders] of belongings) {
      if (gone.has(record) || holders.size === 0 || !isStored(record)) continue;
      if (![...holders].every((holder) => names.has(holder))) continue;
      gone.add(record);
      names.add(`${record.type.resourceType}/${record.id}`);
    }
  }
  return gone;
}

function isStored({ changes }: SentRecord): boolean {
  return changes.some(({ standing }) => standing === "stored");
}

/** By all changes together: what any of them said still holds. */
function belongsTo({ type, changes }: SentRecord): ReadonlySet<string> {
  const holders = new Set<string>();
  for (const change of changes) {
    if (change.standing !== "stored") continue;
    const payload = JSON.parse(textOf(change)) as Fields;
    for (const { field, to, kind } of type.relations) {
      if (kind !== "belongs") continue;
      for (const id of [payload[field]].flat())
        if (typeof id === "string") holders.add(`${to}/${id}`);
    }
  }
  return holders;
}

function eraseChanges({ changes }: SentRecord): void {
  for (const change of changes) if (change.standing === "stored") change.standing = "erased";
}

function redactChanges({ type, changes }: SentRecord, gone: ReadonlySet<string>): void {
  for (const change of changes) {
    if (change.standing !== "stored") continue;
    const payload = JSON.parse(textOf(change)) as Fields;
    for (const { field, to } of type.relations) {
      const value = payload[field];
      if (Array.isArray(value)) payload[field] = value.filter((id) => !gone.has(`${to}/${id}`));
      else if (gone.has(`${to}/${String(value)}`)) delete payload[field];
    }
    const text = sortedJson(payload);
    if (text !== textOf(change)) change.texts.push(text);
  }
}
