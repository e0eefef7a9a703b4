// The floor for the figures of the product on PostgreSQL: bare Fastify with the same schema validation, and one INSERT per request
// on a pool of the same size. It has no authentication, limits, idempotency or deletion.

import Fastify from "fastify";
import { Pool } from "pg";
import type { Payload } from "../src/domain/record-type.ts";
import { transaction } from "../src/domain/record-type/transaction.ts";
import { validatorOf } from "../src/domain/schema/validator.ts";
import { defaultConnections } from "../src/store/interface/connection-settings.ts";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: postgres-floor.ts URL");

const pool = new Pool({ connectionString: url, max: defaultConnections.poolMax });
await pool.query(`
  CREATE TABLE transaction (
    organization_id text COLLATE "C" NOT NULL,
    tx_id text COLLATE "C" NOT NULL,
    received_at bigint NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (organization_id, tx_id)
  )`);

const insert = {
  name: "insert",
  text: `INSERT INTO transaction (organization_id, tx_id, received_at, payload) VALUES ($1, $2, $3, $4)`,
};

const server = Fastify({ logger: false });
server.setValidatorCompiler(({ schema }) => schema as unknown as (data: unknown) => boolean);

server.post<{ Body: Payload }>("/v2/transaction", {
  schema: { body: (body: unknown) => validatorOf(transaction.addSchema).Check(body) },
  handler: async ({ body }, reply) => {
    const id = String(body["tx_id"]);
    await pool.query({ ...insert, values: ["org", id, Date.now(), JSON.stringify(body)] });
    return reply.code(201).send({ success: true, write_count: 1, message: "1 written" });
  },
});

async function stop(): Promise<void> {
  await server.close();
  await pool.end();
}

process.once("SIGTERM", () => void stop());
process.stdout.write(`Listening on ${await server.listen({ host: "127.0.0.1", port: 0 })}\n`);
