// Asks the server, as a client would, about every record that was touched since the last check:
// whether it exists, and when it was first and last seen.

import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { type Ledger, nameOf, type SentRecord } from "./ledger.ts";
import { exchange, type Sender } from "./sender.ts";

/** Divides the records among the connections; each asks for those of its organization. */
export async function checkExistence(
  senders: readonly Sender[],
  records: readonly SentRecord[],
): Promise<void> {
  const queues = Map.groupBy(records, ({ organizationId }) => organizationId);
  await Promise.all(
    senders.map(async (sender) => {
      const queue = queues.get(sender.customer.organizationId) ?? [];
      for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
        await checkRecord(sender, record);
        if (sender.cutOff) return;
      }
    }),
  );
}

async function checkRecord(sender: Sender, record: SentRecord): Promise<void> {
  const { type, id } = record;
  const ask: Ask = {
    method: "GET",
    path: `/v2/${type.resourceType}`,
    query: { [type.idField]: id },
    token: sender.token,
  };
  const reply = await exchange(sender, ask);
  if (reply === undefined) return;
  const fault = faultOf(record, reply);
  if (fault !== undefined) report(sender.ledger, record, `${fault}: ${reply.status} ${reply.text}`);
}

function faultOf(
  { changes, type, id, organizationId }: SentRecord,
  reply: Reply,
): string | undefined {
  const moments = changes
    .filter(({ standing }) => standing === "stored")
    .map(({ moment }) => moment)
    .sort();
  const [first] = moments;
  const last = moments.at(-1);
  if (first === undefined || last === undefined) {
    return reply.status === 404 ? undefined : "expected 404";
  }
  if (reply.status !== 200) return "expected 200";
  const { first_seen: firstSeen, last_seen: lastSeen, [type.idField]: found } = reply.body;
  if (found !== id || reply.body.organization_id !== organizationId) return "another record";
  if (firstSeen !== formatTimestamp(first)) return `expected first_seen ${first}`;
  return lastSeen === formatTimestamp(last) ? undefined : `expected last_seen ${last}`;
}

function report(ledger: Ledger, record: SentRecord, detail: string): void {
  ledger.findings.push(`GET ${nameOf(record)}: ${detail}`);
}
