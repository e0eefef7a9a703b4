// Sites that are emptied and used again, which is much faster than creating one, and their stores stay open.

import type { StoreOptions } from "../../src/store/interface/store.ts";
import { storeParts } from "../../src/feature/parts.ts";
import { storeSamples } from "../feature/samples.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";
import type { Site } from "./engine.ts";

/** Where an engine stores data. */
export interface Place {
  readonly url: string;
  /** Runs statements beside the stores that are open. */
  run(statements: string): Promise<void>;
  remove(): Promise<void>;
}

/** A place that no test uses, and a store that is open on it. */
interface Free {
  readonly place: Place;
  readonly first: TestStore | undefined;
}

export interface UsedSites {
  open(options?: Partial<StoreOptions>): Promise<Site>;
  removeAll(): Promise<void>;
}

/** What both engines have to delete and to reset. */
const emptyAll = () => `
  DELETE FROM access_token; DELETE FROM api_key; DELETE FROM organization;
  DELETE FROM record; DELETE FROM change; DELETE FROM relation;
  DELETE FROM deletion; DELETE FROM deletion_target; DELETE FROM hold;
  DELETE FROM retention_floor; DELETE FROM restricted_reference; DELETE FROM pseudonym;
  DELETE FROM operator; DELETE FROM operator_passkey; DELETE FROM operator_session;
  DELETE FROM one_time_token;
  DELETE FROM arrival_timeline; DELETE FROM party_block;
  DELETE FROM deletion_recipient; DELETE FROM proposal; DELETE FROM idempotent_reply;
  DELETE FROM audit_entry; DELETE FROM receipt; DELETE FROM receipt_key;
  DELETE FROM restore; DELETE FROM replay_entry; DELETE FROM ledger;
  UPDATE receipt_head SET receipt_no = 0, hash = '${"0".repeat(64)}';
  UPDATE audit_head SET entry_no = 0, hash = '${"0".repeat(64)}';
  ${storeSamples.map(({ reset = "" }) => `${reset};`).join(" ")}
  ${storeParts.list
    .flatMap(({ tables }) => tables)
    .map((table) => `DELETE FROM ${table}`)
    .join("; ")}`;

/** `emptyMore`: the statements that reset what only this engine has. */
export function useSites(parts: {
  readonly role: StoreOptions["role"];
  /** Of what opens the same data in addition. */
  readonly roleBeside: StoreOptions["role"];
  readonly makePlace: () => Promise<Place>;
  readonly emptyMore: string;
}): UsedSites {
  const { role, roleBeside, makePlace, emptyMore } = parts;
  const free: Free[] = [];

  async function open(options?: Partial<StoreOptions>): Promise<Site> {
    const { place, first } = free.pop() ?? { place: await makePlace(), first: undefined };
    const opened: TestStore[] = [];
    async function openAs(what: StoreOptions["role"], more = options): Promise<TestStore> {
      const store = await openTestStore(place.url, { role: what, ...more });
      opened.push(store);
      return store;
    }
    const closeAll = () => Promise.all(opened.splice(0).map((store) => store.close()));
    if (options !== undefined) await first?.close();
    const isUsed = options === undefined && first !== undefined;
    if (isUsed) opened.push(first);
    const store = isUsed ? first : await openAs(role);
    return {
      store,
      openAnother: (more) => openAs(roleBeside, { ...options, ...more }),
      async reopen() {
        await closeAll();
        return openAs(role);
      },
      async remove() {
        const isKept = options === undefined && (await isOpen(store));
        if (isKept) opened.splice(opened.indexOf(store), 1);
        await closeAll();
        await place.run(`${emptyAll()}; ${emptyMore}`);
        free.push({ place, first: isKept ? store : undefined });
      },
    };
  }

  return {
    open,
    async removeAll() {
      for (const { place, first } of free) {
        await first?.close();
        await place.remove();
      }
    },
  };
}

function isOpen(store: TestStore): Promise<boolean> {
  return store.ping().then(
    () => true,
    () => false,
  );
}
