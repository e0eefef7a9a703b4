// The configurations of Redpanda Connect: their requests, sent to a real service as the files say them, read what was
// added and acknowledge it; and what they have in common. The program itself is not run.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Client } from "pg";
import { parse } from "yaml";
import { allScopes } from "../../src/domain/scope.ts";
import { idOf, startScene, typeNamed } from "../contract/scene.ts";
import type { Reply } from "../support/http-client.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";

interface Request {
  readonly url: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, "../../deploy/connect");
const sinks = ["kafka", "s3", "warehouse"];

function readYaml(name: string): unknown {
  return parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));
}

/** Everything in a document that has this name, in its order. */
function findAll(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name ? [inner, ...findAll(inner, name)] : findAll(inner, name),
  );
}

const scene = await startScene();
after(() => scene.stop());

/** Settings are replaced where the file is read, and what is known of the message with each request. */
function fill(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\$\{!\s*metadata\("([^"]+)"\)\s*\}|\$\{([A-Z_]+)\}/g,
    (_, meta, setting) => {
      const value = names.get(String(meta ?? setting));
      assert.ok(value !== undefined, `nothing is known of ${text}`);
      return value;
    },
  );
}

function send(request: Request, names: ReadonlyMap<string, string>, body?: object): Promise<Reply> {
  const url = new URL(fill(request.url, names));
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name.toLowerCase(),
    fill(value, names),
  ]);
  return scene.client.send({
    method: request.verb,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body && { body }),
  });
}

describe("the configuration of Redpanda Connect", () => {
  it("reads the feed from where the recipient has come to, and acknowledges it", async () => {
    const customer = await scene.makeCustomer();
    const feed = readYaml("feed");
    const [token, recipient, changes] = findAll(feed, "http") as readonly Request[];
    const [acknowledgement] = findAll(feed, "http_client") as readonly Request[];
    assert.ok(token && recipient && changes && acknowledgement);
    const names = new Map([
      ["SLUICE_URL", scene.service.address],
      ["SLUICE_API_KEY", customer.apiKey],
      ["SLUICE_RECIPIENT", "copies"],
    ]);
    const scopes = { organization_id: customer.organizationId, scopes: allScopes };
    const made = await send(token, names, { expiry_seconds: 3_600, scopes });
    names.set("token", String(made.body.token));
    const register = { method: "POST", path: "/v2/recipient", body: { name: "copies" } };
    assert.equal((await scene.ask(customer, register)).status, 200);

    const positionOf = async () => {
      const { body } = await send(recipient, names);
      const [only] = body["recipients"] as readonly { readonly acknowledged_offset?: string }[];
      return only?.acknowledged_offset;
    };
    names.set("offset", (await positionOf()) ?? "-1");
    const transaction = typeNamed("transaction");
    const record = await scene.addRecord(customer, transaction);
    const page = await send(changes, names);
    const events = JSON.parse(page.text) as readonly { subject: string; data?: object }[];
    assert.deepEqual(
      events.map(({ subject, data }) => [subject, data !== undefined]),
      [[idOf(transaction, record), true]],
    );

    const [pattern] = findAll(feed, "include_patterns").flat();
    const isExtracted = new RegExp(String(pattern));
    const header = Object.keys(page.headers).find((name) => isExtracted.test(name)) ?? "";
    names.set(header, String(page.headers[header]));
    const offset = names.get("stream-next-offset");
    const done = await send(acknowledgement, names, { name: "copies", offset });
    assert.equal(done.status, 200, done.text);
    assert.equal(await positionOf(), offset);
  });

  for (const sink of sinks) {
    it(`stores a page in ${sink} before it is acknowledged, and gives nothing up`, () => {
      const file = readYaml(sink);
      const [broker] = findAll(file, "broker");
      const { pattern, outputs } = broker as { pattern: string; outputs: readonly object[] };
      assert.equal(pattern, "fan_out_sequential");
      const [stored, last] = outputs;
      assert.deepEqual(last, { resource: "sluice_acknowledgement" });
      assert.deepEqual(findAll(stored, "max_retries"), [0]);
      assert.deepEqual(findAll(stored, "max_in_flight"), [1]);
      const labels = findAll(readYaml("feed"), "label");
      for (const name of findAll(file, "resource")) assert.ok(labels.includes(name), String(name));
    });
  }

  it("stores an event in the warehouse once, and removes those of an erased record", async () => {
    const postgres = await usePostgres();
    const client = new Client({ connectionString: await postgres.makeDatabase() });
    await client.connect();
    const text = readFileSync(join(folder, "warehouse.yaml"), "utf8");
    const comment = text.split("\n").filter((line) => line.startsWith("# "));
    const ddl = comment.map((line) => line.slice(2)).join("\n");
    await client.query(ddl.slice(ddl.indexOf("CREATE TABLE")));
    const [query] = findAll(readYaml("warehouse"), "query");
    const at = "2026-03-01T10:00:00.000Z";
    const store = (id: string, type: string, record: string) =>
      client.query(String(query), [id, type, "transaction", record, at, "{}"]);
    for (const id of ["e1", "e1", "e2"])
      await store(id, "sluice.transaction.created", id.slice(-1));
    await store("e3", "sluice.record.erased", "1");
    await store("e3", "sluice.record.erased", "1");
    const { rows } = await client.query<{ id: string }>("SELECT id FROM sluice_event ORDER BY id");
    await client.end();
    assert.deepEqual(
      rows.map(({ id }) => id),
      ["e2", "e3"],
    );
  });

  it("keeps the token out of what is stored", () => {
    const [last = ""] = findAll(readYaml("feed"), "try")
      .flat()
      .flatMap((step) => findAll(step, "mapping"))
      .slice(-1);
    assert.match(String(last), /meta token = deleted\(\)/);
  });
});
