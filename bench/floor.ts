// The floor for the figures of the product: what bare Fastify achieves on this machine with the same schema validation and the
// same durable writes to the same two tables. It has no authentication, limits, idempotency or deletion.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import Fastify, { type FastifyReply } from "fastify";
import type { Payload } from "../src/domain/record-type.ts";
import { transaction } from "../src/domain/record-type/transaction.ts";
import { validatorOf } from "../src/domain/schema/validator.ts";
import { createTables, openDatabase, organizationId, resourceType } from "./floor-schema.ts";
import type { FloorMode, FloorOutcome, FloorWrite } from "./floor-writer.ts";

const path = process.argv[2];
if (path === undefined) throw new Error("usage: floor.ts FILE");

const database = openDatabase(path);
createTables(database);
const find = database.prepare(
  `SELECT first_seen, last_seen FROM record
   WHERE organization_id = '${organizationId}' AND resource_type = '${resourceType}' AND resource_id = ?`,
);
const writer = new Worker(new URL("floor-writer.ts", import.meta.url), { workerData: path });
await once(writer, "online");

// Writes that arrive in one tick of the event loop are posted together; the writer commits all that have arrived by then.
let arrived: FloorWrite[] = [];
const waiting: ((outcome: FloorOutcome) => void)[] = [];

writer.on("message", (outcomes: readonly FloorOutcome[]) => {
  const answers = waiting.splice(0, outcomes.length);
  for (const [index, answer] of answers.entries()) answer(outcomes[index] === true);
});

function write(mode: FloorMode, items: readonly Payload[]): Promise<FloorOutcome> {
  const fields: string[] = [];
  for (const item of items) {
    fields.push(String(item["tx_id"]), String(item["timestamp"]), JSON.stringify(item));
  }
  if (arrived.push({ mode, fields }) === 1) setImmediate(sendArrived);
  return new Promise((resolve) => waiting.push(resolve));
}

function sendArrived(): void {
  writer.postMessage(arrived, []);
  arrived = [];
}

const server = Fastify({
  logger: false,
  bodyLimit: 16 * 1_024 * 1_024,
  onProtoPoisoning: "ignore",
  onConstructorPoisoning: "ignore",
});
server.setValidatorCompiler(({ schema }) => schema as unknown as (data: unknown) => boolean);

const text = { type: "string" };
const existence = object({ tx_id: text, first_seen: text, last_seen: text, organization_id: text });
const written = object({
  success: { type: "boolean" },
  write_count: { type: "integer" },
  message: text,
  organization_id: text,
});

function object(properties: Readonly<Record<string, unknown>>) {
  return { response: { "2xx": { type: "object", properties } } };
}

const isAdd = (body: unknown) => validatorOf(transaction.addSchema).Check(body);
const isUpdate = (body: unknown) => validatorOf(transaction.updateSchema).Check(body);
const isBatch = (body: unknown) => Array.isArray(body) && body.every(isAdd);

server.post<{ Body: Payload }>("/v2/transaction", {
  schema: { body: isAdd, ...written },
  handler: async ({ body }, reply) =>
    answerWrite(reply, { count: 1, ok: await write("add", [body]), status: 201, refused: 409 }),
});
server.put<{ Body: Payload }>("/v2/transaction", {
  schema: { body: isUpdate, ...written },
  handler: async ({ body }, reply) =>
    answerWrite(reply, { count: 1, ok: await write("update", [body]), status: 200, refused: 404 }),
});
server.post<{ Body: readonly Payload[] }>("/v2/transactions/batch", {
  schema: { body: isBatch, ...written },
  handler: async ({ body }, reply) =>
    answerWrite(reply, {
      count: body.length,
      ok: await write("append", body),
      status: 200,
      refused: 500,
    }),
});
server.get<{ Querystring: { tx_id?: string } }>("/v2/transaction", {
  schema: existence,
  handler: ({ query }, reply) => {
    const found = query.tx_id === undefined ? undefined : find.get(query.tx_id);
    if (found === undefined) return reply.code(404).send({ message: "There is no such record." });
    return reply.send({ tx_id: query.tx_id, ...found, organization_id: organizationId });
  },
});

interface Written {
  readonly count: number;
  readonly ok: boolean;
  readonly status: number;
  readonly refused: number;
}

function answerWrite(reply: FastifyReply, { count, ok, status, refused }: Written) {
  if (!ok) return reply.code(refused).send({ message: "It was not written." });
  const message = `${count} written`;
  return reply.code(status).send({
    success: true,
    write_count: count,
    message,
    organization_id: organizationId,
  });
}

async function stop(): Promise<void> {
  await server.close();
  writer.postMessage("stop", []);
  await once(writer, "exit");
  database.close();
}

process.once("SIGTERM", () => void stop());
process.stdout.write(`Listening on ${await server.listen({ host: "127.0.0.1", port: 0 })}\n`);
