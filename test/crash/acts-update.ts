// What a connection does to existing records: updates one or a list, and sends again what was
// already sent.

import { exchange, newUpdate, numbered, type Sender, submit } from "./sender.ts";
import { listPath } from "./acts-add.ts";
import { type SentRecord, textOf } from "./ledger.ts";

export async function updateOne(sender: Sender): Promise<void> {
  const record = pickKnown(sender);
  if (record === undefined) return;
  const payload = newUpdate(sender, record);
  await submit(sender, {
    method: "PUT",
    path: `/v2/${record.type.resourceType}`,
    body: payload,
    changes: [sender.ledger.change(record, payload)],
    atomic: true,
    idempotent: sender.generator.random.chance(0.4),
  });
}

/** One in eight names a record that does not exist, and is rejected as a whole. */
export async function updateList(sender: Sender): Promise<void> {
  const { random } = sender.generator;
  const first = pickKnown(sender);
  if (first === undefined) return;
  const { type, organizationId } = first;
  const records = sender.loners
    .filter((record) => record.type === type)
    .slice(-random.integer(1, 20));
  const doomed = random.chance(0.12);
  if (doomed) {
    const id = `never-${sender.generator.id(type)}`;
    records.push(sender.ledger.record(type, { organizationId, id }));
  }
  const payloads = records.map((record) => newUpdate(sender, record));
  await submit(sender, {
    method: "PUT",
    path: listPath(type),
    body: payloads,
    changes: records.map((record, index) =>
      sender.ledger.change(record, payloads[index] ?? {}, { doomed }),
    ),
    atomic: true,
    idempotent: random.chance(0.3),
    ...(doomed ? { refusedWith: 404 } : {}),
  });
}

/** A list of transactions that were already sent, unchanged: nothing is written. */
export async function resend(sender: Sender): Promise<void> {
  const records = sender.loners.filter(
    ({ type, changes }) =>
      type.batchPath !== undefined && changes.length === 1 && changes[0]?.standing === "stored",
  );
  const changes = records.flatMap((record) => record.changes);
  const [{ type } = { type: undefined }] = records;
  if (type === undefined) return;
  await submit(sender, {
    method: "POST",
    path: listPath(type),
    body: changes.map((change): unknown => JSON.parse(textOf(change))),
    changes,
    atomic: false,
    writeCount: 0,
  });
}

/** A record that exists, added again: rejected whether it is identical or different. */
export async function addAgain(sender: Sender): Promise<void> {
  const record = pickKnown(sender);
  const [first] = record?.changes ?? [];
  if (record === undefined || first === undefined) return;
  const payload = sender.generator.record(record.type, {
    [record.type.idField]: record.id,
    ...numbered(sender),
  });
  await submit(sender, {
    method: "POST",
    path: `/v2/${record.type.resourceType}`,
    body: payload,
    changes: [sender.ledger.change(record, payload, { doomed: true })],
    atomic: true,
    refusedWith: 409,
  });
}

/** An acknowledged request again with its Idempotency-Key: the same reply, and no effect. */
export async function repeatAcknowledged(sender: Sender): Promise<void> {
  const { acknowledged, generator, ledger } = sender;
  const intact = acknowledged.filter(({ changes }) =>
    changes.every(
      // A stored outcome is erased with its record.
      (change) =>
        change === undefined || (change.standing !== "erased" && !change.record.disturbed),
    ),
  );
  if (intact.length === 0) return;
  const { ask, answer } = generator.random.pick(intact);
  const reply = await exchange(sender, { ...ask, token: sender.token });
  if (reply === undefined || (reply.status === answer?.status && reply.text === answer.text))
    return;
  ledger.findings.push(
    `${ask.method} ${ask.path} with the same Idempotency-Key: first ${answer?.status} ${answer?.text}, ` +
      `then ${reply.status} ${reply.text}`,
  );
}

function pickKnown({ loners, generator }: Sender): SentRecord | undefined {
  return loners.length === 0 ? undefined : generator.random.pick(loners);
}
