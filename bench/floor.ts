// The floor for the figures of the product: what bare Fastify achieves on this machine with the same schema validation
// and the same durable writes, on either engine. It has no authentication, limits, idempotency or deletion.

import Fastify, { type FastifyReply } from "fastify";
import type { Payload } from "../src/domain/record-type.ts";
import { transaction } from "../src/domain/record-type/transaction.ts";
import { validatorOf } from "../src/domain/schema/validator.ts";
import { openFloor as openPostgres } from "./floor-postgres.ts";
import { organizationId } from "./floor-schema.ts";
import { openFloor as openSqlite } from "./floor-sqlite.ts";
import type { Existence } from "./floor-store.ts";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: floor.ts sqlite:FILE | postgres://…");
const store = url.startsWith("sqlite:")
  ? await openSqlite(url.slice("sqlite:".length))
  : await openPostgres(url);

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
    answerWrite(reply, {
      count: 1,
      ok: await store.write("add", [body]),
      status: 201,
      refused: 409,
    }),
});
server.put<{ Body: Payload }>("/v2/transaction", {
  schema: { body: isUpdate, ...written },
  handler: async ({ body }, reply) =>
    answerWrite(reply, {
      count: 1,
      ok: await store.write("update", [body]),
      status: 200,
      refused: 404,
    }),
});
server.post<{ Body: readonly Payload[] }>("/v2/transactions/batch", {
  schema: { body: isBatch, ...written },
  handler: async ({ body }, reply) =>
    answerWrite(reply, {
      count: body.length,
      ok: await store.write("append", body),
      status: 200,
      refused: 500,
    }),
});
server.get<{ Querystring: { tx_id?: string } }>("/v2/transaction", {
  schema: existence,
  handler: ({ query: { tx_id: id = "" } }, reply) => {
    const found = store.find(id);
    if (found instanceof Promise) return found.then((later) => answerCheck(reply, id, later));
    return answerCheck(reply, id, found);
  },
});

function answerCheck(reply: FastifyReply, id: string, found: Existence | undefined) {
  if (found === undefined) return reply.code(404).send({ message: "There is no such record." });
  return reply.send({ tx_id: id, ...found, organization_id: organizationId });
}

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
  await store.close();
}

process.once("SIGTERM", () => void stop());
process.stdout.write(`Listening on ${await server.listen({ host: "127.0.0.1", port: 0 })}\n`);
