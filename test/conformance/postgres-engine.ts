// The conformance suite's engine on PostgreSQL. The store is opened as an ordinary role, so that row-level security
// applies to it.

import { after, before } from "node:test";
import type { StoreOptions } from "../../src/store/interface/store.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";
import {
  type PostgresServer,
  type ServerOptions,
  startPostgres,
} from "../support/postgres/postgres-server.ts";
import type { Engine, Site } from "./engine.ts";

const emptyAll = `
  DELETE FROM access_token; DELETE FROM api_key; DELETE FROM organization;
  DELETE FROM record; DELETE FROM change; DELETE FROM relation;
  DELETE FROM deletion; DELETE FROM deletion_target; DELETE FROM hold;
  DELETE FROM retention_floor; DELETE FROM restricted_reference; DELETE FROM pseudonym;
  DELETE FROM operator; DELETE FROM operator_passkey; DELETE FROM operator_session;
  DELETE FROM one_time_token; DELETE FROM import_run; DELETE FROM search_token;
  DELETE FROM event_cursor; DELETE FROM webhook_endpoint; DELETE FROM recipient;
  DELETE FROM erasure_notice; DELETE FROM deletion_recipient; DELETE FROM proposal;
  DELETE FROM idempotent_reply; DELETE FROM audit_entry;
  DELETE FROM receipt; DELETE FROM receipt_key;
  DELETE FROM restore; DELETE FROM replay_entry; DELETE FROM ledger;
  UPDATE receipt_head SET receipt_no = 0, hash = repeat('0', 64);
  UPDATE audit_head SET entry_no = 0, hash = repeat('0', 64);
  UPDATE search_index SET key_check = 0, indexed_no = 0;
  UPDATE counter SET value = 1; ALTER SEQUENCE arrival RESTART`;

/** A database that no test uses, and a store that is open on it. Emptying one is much faster than creating one. */
interface Free {
  readonly url: string;
  readonly first: TestStore | undefined;
}

/** Starts a server before the tests of the file or the group that calls it, and removes it after them. */
export function usePostgresEngine(name: string, options?: ServerOptions): Engine {
  let running: PostgresServer | undefined;
  const free: Free[] = [];
  before(async () => {
    running = await startPostgres(options);
  });
  after(async () => {
    for (const { url, first } of free) {
      await first?.close();
      await running?.dropDatabase(url);
    }
    await running?.remove();
  });
  return {
    name,
    open: async (more) => {
      if (running === undefined) throw new Error("the server runs when the tests do, not before");
      return openSite(running, free, more);
    },
  };
}

async function openSite(
  server: PostgresServer,
  free: Free[],
  options: Partial<StoreOptions> | undefined,
): Promise<Site> {
  const { url, first } = free.pop() ?? { url: await server.makeDatabase(), first: undefined };
  const opened: TestStore[] = [];
  async function open(more?: Partial<StoreOptions>): Promise<TestStore> {
    const store = await openTestStore(url, { role: "serve", ...options, ...more });
    opened.push(store);
    return store;
  }
  const closeAll = () => Promise.all(opened.splice(0).map((store) => store.close()));
  if (options !== undefined) await first?.close();
  const store = options === undefined && first !== undefined ? first : await open();
  if (opened.length === 0) opened.push(store);
  return {
    store,
    openAnother: (more) => open(more),
    async reopen() {
      await closeAll();
      return open();
    },
    async remove() {
      const isOpen = () =>
        store.ping().then(
          () => true,
          () => false,
        );
      const isKept = options === undefined && (await isOpen());
      if (isKept) opened.splice(opened.indexOf(store), 1);
      await closeAll();
      await server.query(emptyAll, url);
      free.push({ url, first: isKept ? store : undefined });
    },
  };
}
