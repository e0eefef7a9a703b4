// An organization can't learn anything about another: at every operation, data of another
// organization gets exactly the reply of data that does not exist. Written for the table of
// operations; an operation that is added without its pair of requests fails here.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { showRecord } from "../../src/actions/record/show-record.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { type Operation, requireType } from "../../src/http/operation.ts";
import { operations } from "../../src/process/operations.ts";
import { endOffset } from "../support/end-offset.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { addWebhook, inForm, newWebhook, tokenRequest } from "./good-request.ts";
import { bare, check, idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client, records } = scene;
const owner = await scene.makeCustomer({ deletionGraceSeconds: 3_600 });
const unauthenticated = await scene.makeCustomer();
after(() => scene.stop());

interface Pair {
  /** About data of the owner. */
  readonly foreign: Ask;
  /** The same about data that does not exist. */
  readonly absent: Ask;
}

type Make = (operation: Operation) => Promise<Pair>;

/** Ids of one length, so that not even the length of a reply differs. */
let count = 0;
function twoIds(): readonly [string, string] {
  count += 1;
  return [`mine-${1_000 + count}`, `none-${1_000 + count}`];
}

async function twoRecords(operation: Operation): Promise<readonly [string, string]> {
  const type = requireType(operation);
  const [mine, none] = twoIds();
  await scene.addRecord(owner, type, { [type.idField]: mine });
  return [mine, none];
}

async function twoWebhooks(): Promise<readonly [string, string]> {
  const mine = await addWebhook(scene, owner);
  return [mine, `whe_${"0".repeat(mine.length - 4)}`];
}

async function twoRecipients(): Promise<readonly [string, string]> {
  const [mine, none] = twoIds();
  const body = { name: mine, types: ["company"] };
  await scene.ask(owner, { method: "POST", path: "/v2/recipient", body });
  return [mine, none];
}

const pairs: Readonly<Record<string, Make>> = {
  "issue token": async ({ method, path }) => {
    const ask = (organizationId: string): Ask => ({
      method,
      path,
      headers: { authorization: unauthenticated.apiKey },
      body: tokenRequest({ ...unauthenticated, organizationId }),
    });
    return { foreign: ask(owner.organizationId), absent: ask("org_nobody0000000000") };
  },
  "check record": async (operation) => {
    const { idField } = requireType(operation);
    const [mine, none] = await twoRecords(operation);
    return pairOf(operation, (id) => ({ query: { [idField]: id } }), [mine, none]);
  },
  "add records": addAgain,
  "append records": addAgain,
  "update records": async (operation) => {
    const type = requireType(operation);
    const ids = await twoRecords(operation);
    const update = records.update(type, ids[0]);
    return pairOf(
      operation,
      (id) => ({ body: inForm(operation, { ...update, [type.idField]: id }) }),
      ids,
    );
  },
  "request deletion": async (operation) => {
    const { idField } = requireType(operation);
    const ids = await twoRecords(operation);
    return pairOf(operation, (id) => ({ body: { [idField]: id, reason: "a test" } }), ids);
  },
  "request deletion by type": async (operation) => {
    const type = typeNamed("company");
    const ids = await twoRecords({ ...operation, type });
    const body = { resource_type: type.resourceType, reason: "a test" };
    return pairOf(operation, (id) => ({ body: { ...body, resource_id: id } }), ids);
  },
  "read changes": async (operation) => {
    const { method, path } = operation;
    await twoRecords({ ...operation, type: typeNamed("person") });
    const token = owner.token;
    const { headers } = await client.send({ method, path, token });
    const mine = String(headers["stream-next-offset"]);
    const ask = (offset: string): Ask => ({
      method,
      path,
      token: unauthenticated.token,
      query: { offset },
    });
    return { foreign: ask(mine), absent: ask("0".repeat(mine.length)) };
  },
  "create webhook endpoint": async (operation) => {
    const [mine, none] = twoIds();
    return pairOf(
      operation,
      (id) => ({ body: { ...newWebhook, url: `https://${id}.example.com` } }),
      [mine, none],
    );
  },
  "list webhook endpoints": async (operation) =>
    pairOf(operation, (id) => ({ query: { webhook_endpoint_id: id } }), await twoWebhooks()),
  "remove webhook endpoint": async (operation) =>
    pairOf(operation, (id) => ({ body: { webhook_endpoint_id: id } }), await twoWebhooks()),
  "register recipient": async (operation) => {
    const ids = await twoRecipients();
    return pairOf(operation, (name) => ({ body: { name, types: ["person"] } }), ids);
  },
  "list recipients": async (operation) =>
    pairOf(operation, (name) => ({ query: { name } }), await twoRecipients()),
  "remove recipient": async (operation) =>
    pairOf(operation, (name) => ({ body: { name } }), await twoRecipients()),
  acknowledge: async (operation) => {
    const offset = await endOffset(scene.service.app, unauthenticated);
    return pairOf(operation, (name) => ({ body: { name, offset } }), await twoRecipients());
  },
  "read deletion": async (operation) => {
    const type = typeNamed("person");
    const [mine] = await twoRecords({ ...operation, type });
    const body = { person_id: mine, reason: "a test" };
    const asked = await scene.ask(owner, { method: "DELETE", path: pathOf(type), body });
    const id = asked.body.deletion_request_id ?? "";
    const absent = `del_${"0".repeat(id.length - 4)}`;
    return pairOf(operation, (found) => ({ query: { deletion_request_id: found } }), [id, absent]);
  },
};

function pairFor(operation: Operation): Promise<Pair> {
  const make = pairs[operation.verb];
  if (make === undefined) throw new Error(`there is no pair of requests for ${operation.verb}`);
  return make(operation);
}

/** An offset of another organization is none. */
function refusedStatus({ permission, verb }: Operation): number {
  if (permission === undefined) return 403;
  return verb === "read changes" ? 400 : 404;
}

/** A record that the owner has, also one of which a deletion is open, is new to another organization. */
async function addAgain(operation: Operation): Promise<Pair> {
  const type = requireType(operation);
  const ids = await twoRecords(operation);
  if (type.deletable === true) {
    const body = { [type.idField]: ids[0], reason: "a test" };
    await scene.ask(owner, { method: "DELETE", path: pathOf(type), body });
  }
  const record = records.record(type);
  return pairOf(
    operation,
    (id) => ({ body: inForm(operation, { ...record, [type.idField]: id }) }),
    ids,
  );
}

function pairOf(
  { method, path }: Operation,
  content: (id: string) => Partial<Ask>,
  [mine, none]: readonly [string, string],
): Pair {
  const ask = (id: string) => ({ method, path, token: unauthenticated.token, ...content(id) });
  return { foreign: ask(mine), absent: ask(none) };
}

const accepting: ReadonlySet<string> = new Set([
  "add records",
  "append records",
  "create webhook endpoint",
  "list webhook endpoints",
  "register recipient",
  "list recipients",
]);

/** Ids and secrets of webhooks that a reply makes. */
function withoutRandom(text: string): string {
  return text.replaceAll(/\b(whe|whsec|whpk)_[\w+/=]+/g, "$1");
}

/** A reply that repeats the id sent does so in both cases. */
function assertAlike(foreign: Reply, absent: Reply): void {
  const told = JSON.stringify(bare(absent)).replaceAll("none-", "mine-");
  assert.equal(withoutRandom(JSON.stringify(bare(foreign))), withoutRandom(told));
}

describe("another organization's data gets the same replies as data that does not exist", () => {
  for (const operation of operations) {
    it(`by ${operation.name}`, async () => {
      const { foreign, absent } = await pairFor(operation);
      const reply = await client.send(foreign);
      assertAlike(reply, await client.send(absent));
      const isNew = accepting.has(operation.verb);
      const refused = refusedStatus(operation);
      assert.equal(reply.status, isNew ? operation.success : refused, reply.text);
    });

    if (operation.method === "GET") {
      it(`by ${operation.name}, asked with HEAD`, async () => {
        const { foreign, absent } = await pairFor(operation);
        const reply = await client.send({ ...foreign, method: "HEAD" });
        assertAlike(reply, await client.send({ ...absent, method: "HEAD" }));
        const isNew = accepting.has(operation.verb);
        assert.equal(reply.status, isNew ? operation.success : refusedStatus(operation));
      });
    }

    if (operation.body === "list" || operation.body === "either") {
      it(`by ${operation.name}, in lenient lists and in streams`, async () => {
        for (const more of [
          { prefer: "handling=lenient" },
          { "content-type": "application/x-ndjson" },
        ]) {
          const { foreign, absent } = await pairFor(operation);
          const send = ({ body, ...ask }: Ask) => {
            const isStream = "content-type" in more;
            const item: unknown = Array.isArray(body) ? body[0] : body;
            const sent = isStream ? JSON.stringify(item) : [item];
            return client.send({ ...ask, headers: more, body: sent });
          };
          assertAlike(await send(foreign), await send(absent));
        }
      });
    }
  }
});

describe("records of one id in two organizations", () => {
  for (const type of recordTypes) {
    it(`are independent of each other: ${type.resourceType}`, async () => {
      const mine = await scene.addRecord(owner, type, { timestamp: "2026-01-01T00:00:00Z" });
      const id = idOf(type, mine);
      const theirs = records.record(type, {
        [type.idField]: id,
        timestamp: "2026-02-02T00:00:00Z",
      });
      const added = await scene.ask(unauthenticated, {
        method: "POST",
        path: listPathOf(type),
        body: [theirs],
      });
      assert.equal(added.body.write_count, 1);
      const update = { [type.idField]: id, timestamp: "2026-03-03T00:00:00Z" };
      await scene.ask(unauthenticated, { method: "PUT", path: listPathOf(type), body: [update] });
      const seen = await check(scene, owner, { type, id });
      assert.equal(seen.body.last_seen, "2026-01-01T00:00:00Z");
      assert.equal(seen.body.organization_id, owner.organizationId);
      const { organizationId } = owner;
      const key = { organizationId, resourceType: type.resourceType, resourceId: id };
      const { changes } = await showRecord(scene.service.app, key);
      assert.deepEqual(
        changes.map(({ payload }) => payload),
        [mine],
      );
    });
  }
});
