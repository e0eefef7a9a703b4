// "Adding a record type is one file and one line": adds one in a copy of the source, starts the
// service from the copy, and uses the new type over HTTP and at the command line.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { fetchToken } from "../support/customer.ts";
import { startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { root } from "./tree.ts";

const file = `// Money that goes back for a transaction; it belongs to the transaction.

import { amount, currency, identifier, optional, required, text } from "../schema/fields.ts";
import { defineRecordType } from "../record-type.ts";

export const transactionRefund = defineRecordType({
  resourceType: "transaction_refund",
  idField: "refund_id",
  family: "transactions",
  title: "Transaction refund",
  summary: "Money that goes back for a transaction.",
  fields: {
    refund_id: required(identifier("Unique identifier of the refund.")),
    amount: required(amount("What goes back.")),
    currency: required(currency("Currency of the amount.")),
    why: optional(text("Why it goes back.")),
    related_tx_id: required(identifier("Transaction that it is for.")),
  },
  relations: [{ field: "related_tx_id", to: "transaction", kind: "belongs" }],
  example: {
    refund_id: "refund-1",
    amount: 20.5,
    currency: "EUR",
    related_tx_id: "tx-1",
    timestamp: "2026-02-01T09:00:00Z",
  },
});
`;

const refund = {
  refund_id: "refund-1",
  amount: 20.5,
  currency: "EUR",
  related_tx_id: "tx-1",
  timestamp: "2026-02-01T09:00:00Z",
};

const transaction = {
  tx_id: "tx-1",
  type: "DEPOSIT",
  method: "CARD",
  amount: 20.5,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "person-1",
  sender_country: "DE",
  timestamp: "2026-01-31T09:00:00Z",
};

describe("a twelfth record type, added with one file and one line", async () => {
  const copy = makeTempFolder();
  const bin = join(copy, "bin/sluice.js");
  const environment = {
    DATABASE_URL: `sqlite:${copy}/data/sluice.db`,
    LOG_LEVEL: "warn",
    PORT: "0",
    DELETION_POLL_MS: "50",
  };

  for (const part of ["src", "client/src", "bin", "client", "package.json", "tsconfig.json"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  addType(join(copy, "src/domain"));
  const server = await startServerProcess(environment, { bin });
  const made = await command("organization", "create", "--name", "Twelve", "--id", "twelve");
  assert.deepEqual(made, { organization_id: "twelve", organization_name: "Twelve" });
  const { api_key: apiKey } = await command("key", "create", "--organization", "twelve");
  const token = await fetchToken(
    server.client,
    { organizationId: "twelve", apiKey: String(apiKey) },
    { scopes: ["transactions:write"] },
  );
  const added = await send("POST", "/v2/transaction", transaction);
  assert.equal(added.status, 201, added.text);

  after(() => server?.end("SIGTERM"));

  it("is added, one at a time and in a list", async () => {
    const one = await send("POST", "/v2/transaction_refund", refund);
    assert.equal(one.status, 201, one.text);
    assert.equal(one.body.message, "1 transaction refund was added.");
    const more = [2, 3].map((number) => ({ ...refund, refund_id: `refund-${number}` }));
    const list = await send("POST", "/v2/transaction_refund", more);
    assert.equal(list.status, 201, list.text);
    assert.equal(list.body.write_count, 2);
    const again = await send("POST", "/v2/transaction_refund", refund);
    assert.equal(again.body.code, 40901);
  });

  it("is rejected where a field is unknown, missing or wrong", async () => {
    const { status, body } = await send("POST", "/v2/transaction_refund", {
      refund_id: "refund-9",
      amout: 20.5,
      currency: "euro",
      related_tx_id: "tx-1",
      timestamp: "2026-02-01T09:00:00Z",
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors?.map(({ field }) => field).sort(), [
      "amount",
      "amout",
      "currency",
    ]);
    assert.match(body.errors?.find(({ field }) => field === "amout")?.message ?? "", /amount\?$/);
  });

  it("is updated, and checked", async () => {
    const update = { refund_id: "refund-1", why: "broken", timestamp: "2026-02-03T09:00:00Z" };
    const updated = await send("PUT", "/v2/transaction_refund", update);
    assert.equal(updated.status, 200, updated.text);
    const checked = await send("GET", "/v2/transaction_refund?refund_id=refund-1");
    assert.deepEqual(checked.body, {
      refund_id: "refund-1",
      first_seen: "2026-02-01T09:00:00Z",
      last_seen: "2026-02-03T09:00:00Z",
      organization_id: "twelve",
    });
    const words = ["record", "show", "transaction_refund", "refund-1", "--organization", "twelve"];
    const shown = await command(...words);
    assert.deepEqual(shown["state"], { ...refund, why: "broken", timestamp: update.timestamp });
  });

  it("is in the OpenAPI document", async () => {
    const { body } = await send("GET", "/openapi.json");
    const paths = body["paths"] as Record<string, Record<string, object>>;
    const operations = Object.keys(paths["/v2/transaction_refund"] ?? {});
    assert.deepEqual(
      ["get", "post", "put"].filter((method) => !operations.includes(method)),
      [],
    );
    assert.ok(JSON.stringify(body).includes("What goes back."));
  });

  it("is erased with what it belongs to", async () => {
    const asked = await send("DELETE", "/v2/transaction", { tx_id: "tx-1", reason: "a test" });
    assert.equal(asked.status, 200, asked.text);
    const path = `/v2/deletion_request?deletion_request_id=${asked.body.deletion_request_id}`;
    const completed = await waitFor("the completed deletion", async () => {
      const { body } = await send("GET", path);
      return body.status === "completed" ? body : undefined;
    });
    assert.deepEqual(completed["erased"], { transaction: 1, transaction_refund: 3 });
    const gone = await send("GET", "/v2/transaction_refund?refund_id=refund-1");
    assert.equal(gone.body.code, 40401);
  });

  function send(method: string, path: string, body?: unknown) {
    return server.client.send({ method, path, token, body });
  }

  async function command(...words: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...words, "--json"], {
      env: { ...process.env, ...environment },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  }
});

/** The one file, and the one line in the table with its import. */
function addType(domain: string): void {
  writeFileSync(join(domain, "record-type/transaction-refund.ts"), file);
  const table = join(domain, "record-types.ts");
  const old = readFileSync(table, "utf8");
  const changed = old
    .replace(
      /^import/m,
      'import { transactionRefund } from "./record-type/transaction-refund.ts";\nimport',
    )
    .replace(/^\];$/m, "  transactionRefund,\n];");
  assert.equal(changed.split("\n").length, old.split("\n").length + 2);
  writeFileSync(table, changed);
}
