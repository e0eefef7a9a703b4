// Offsets of the feed of changes after a restore, in which the numbers beyond the backup's last one are given again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeCommandLine } from "../../../cli/command-line.ts";
import { addTransaction } from "../../../receipt/scene.ts";
import { type Customer, makeCustomer } from "../../../support/customer.ts";
import type { Reply } from "../../../support/http-client.ts";
import { usePostgres } from "../../../support/postgres/postgres-server.ts";
import { type Server, startServer } from "../../../support/server.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { lacks } from "../../samples.ts";

const postgres = await usePostgres();

interface Site {
  start(): Promise<Server>;
  /** Makes the only backup. */
  backUp(): Promise<unknown>;
  restore(): Promise<unknown>;
}

function onSqlite(): Site {
  const line = makeCommandLine();
  const file = join(makeTempFolder(), "backup.db");
  return {
    start: () => startServer({ folder: line.folder }),
    backUp: () => line.ask("backup", file),
    restore: () => line.ask("restore", file, "--replace"),
  };
}

/** The operator's own tools restore, then `command` is run. */
function onPostgres(command: string, afterBackup: string | undefined): () => Promise<Site> {
  return async () => {
    const folder = makeTempFolder();
    const copy = (url: string) =>
      postgres.makeDatabase({ template: new URL(url).pathname.slice(1) });
    let url = await postgres.makeDatabase();
    let saved = url;
    const line = () => makeCommandLine({ folder, environment: { DATABASE_URL: url } });
    return {
      start: () => startServer({ folder, environment: { DATABASE_URL: url } }),
      backUp: async () => {
        saved = await copy(url);
        if (afterBackup !== undefined) await line().ask(afterBackup);
      },
      restore: async () => {
        url = await copy(saved);
        await line().ask(command);
      },
    };
  };
}

const sites: Readonly<Record<string, () => Site | Promise<Site>>> = {
  "after `sluice restore`": onSqlite,
  "on PostgreSQL, after `deletion replay`": onPostgres(
    "deletion replay",
    "organization create --name Later --id later",
  ),
  "on PostgreSQL, after `deletion replay --restored` where only changes were lost": onPostgres(
    "deletion replay --restored",
    undefined,
  ),
};

/** The reader of a customer at a server. */
function readerAt({ client }: Server, acme: Customer) {
  const { token } = acme;
  const get = (offset: string) =>
    client.send({ method: "GET", path: "/v2/changes", query: { offset }, token });
  return {
    add: async (...ids: readonly string[]) => {
      for (const id of ids) await addTransaction(client, acme, id);
    },
    read: async (offset: string) => {
      const reply = await get(offset);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers["stream-up-to-date"], "true");
      const events = JSON.parse(reply.text) as readonly { readonly subject: string }[];
      const ids = events.map(({ subject }) => subject);
      return { ids, offset: String(reply.headers["stream-next-offset"]) };
    },
    register: () =>
      client.send({ method: "POST", path: "/v2/recipient", token, body: { name: "copies" } }),
    acknowledge: (offset: string) => {
      const body = { name: "copies", offset };
      return client.send({ method: "POST", path: "/v2/recipient_acknowledgement", token, body });
    },
    requireGone: async (offset: string) => {
      const body = { name: "copies", offset };
      const path = "/v2/recipient_acknowledgement";
      const acknowledgement = client.send({ method: "POST", path, token, body });
      for (const reply of [await get(offset), await acknowledgement]) requireCode(reply, 41001);
    },
  };
}

function requireCode({ status, body, text }: Reply, code: number): void {
  assert.deepEqual([status, body.code], [Math.floor(code / 100), code], text);
}

type Reader = ReturnType<typeof readerAt>;

/** Serves the store while `work` uses it. */
async function serving<Result>(
  site: Site,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await site.start();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

describe("an offset of the feed", { skip: lacks("feed") }, () => {
  for (const [name, open] of Object.entries(sites)) {
    it(`skips no change ${name}`, async () => {
      const site = await open();
      const { acme, early } = await serving(site, async (server) => {
        const made = await server.operate((app) => makeCustomer(app, server.client));
        const reader = readerAt(server, made);
        await reader.add("a1");
        assert.equal((await reader.register()).status, 200);
        const { offset } = await reader.read("-1");
        assert.equal((await reader.acknowledge(offset)).status, 200);
        await reader.add("a2");
        return { acme: made, early: offset };
      });
      const at = <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> =>
        serving(site, (server) => work(readerAt(server, acme)));
      await site.backUp();

      const lost = await at(async (reader) => {
        await reader.add("b1", "b2", "b3");
        return (await reader.read(early)).offset;
      });

      await site.restore();
      const lostToo = await at(async (reader) => {
        await reader.requireGone(lost);
        await reader.add("c1", "c2", "c3", "c4");
        await reader.requireGone(lost);
        const { ids, offset } = await reader.read(early);
        assert.deepEqual(ids, ["a2", "c1", "c2", "c3", "c4"]);
        assert.equal((await reader.acknowledge(offset)).status, 200);
        return offset;
      });

      await site.restore();
      await at(async (reader) => {
        await reader.add("d1", "d2", "d3", "d4", "d5");
        for (const offset of [lost, lostToo]) await reader.requireGone(offset);
        const { ids, offset } = await reader.read(early);
        assert.deepEqual(ids, ["a2", "d1", "d2", "d3", "d4", "d5"]);
        await reader.add("e1");
        assert.deepEqual((await reader.read(offset)).ids, ["e1"]);
      });
    });
  }
});
