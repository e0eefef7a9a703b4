// The work of a serving process besides requests and deletions, on a fake store.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pino } from "pino";
import type { App } from "../../src/actions/app.ts";
import { CallerCache } from "../../src/actions/caller-cache.ts";
import { InFlightKeys } from "../../src/actions/idempotency.ts";
import type { Store } from "../../src/store/store.ts";
import { startUpkeep } from "../../src/worker/upkeep.ts";
import { waitFor } from "../support/wait-for.ts";

const identity = {
  organizationId: "acme",
  organizationName: "Acme",
  keyId: "key_1",
  expiresAt: Number.POSITIVE_INFINITY,
  covered: new Set<never>(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

/** Only the store methods that upkeep uses. */
function makeApp(store: Pick<Store, "credentialsVersion" | "purgeExpired">): App {
  return {
    store: store as Store,
    now: () => 1_000,
    callers: new CallerCache(),
    inFlight: new InFlightKeys(),
    operator: "test",
    signer: () => undefined,
    ledger: {
      path: "",
      exists: () => true,
      state: () => Promise.reject(new Error("no ledger here")),
      note: async () => undefined,
      async *readParts() {},
    },
  };
}

describe("upkeep", () => {
  it("knows the credentials version before it resolves, so that callers can be cached", async () => {
    const app = makeApp({ credentialsVersion: async () => 7, purgeExpired: async () => undefined });
    const upkeep = await startUpkeep(app, pino({ level: "silent" }));
    app.callers.keep("hash", identity, 7);
    assert.equal(app.callers.find("hash"), identity);
    await upkeep.stop();
  });

  it("forgets callers when credentials change elsewhere", async () => {
    let version = 1;
    const app = makeApp({
      credentialsVersion: async () => version,
      purgeExpired: async () => undefined,
    });
    const upkeep = await startUpkeep(app, pino({ level: "silent" }));
    app.callers.keep("hash", identity, 1);
    version = 2;
    await waitFor("the caller to be forgotten", () =>
      app.callers.find("hash") === undefined ? true : undefined,
    );
    await upkeep.stop();
  });

  it("trusts no cached caller while the version can't be read", async () => {
    let broken = false;
    const app = makeApp({
      credentialsVersion: () =>
        broken ? Promise.reject(new Error("no answer")) : Promise.resolve(1),
      purgeExpired: async () => undefined,
    });
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
    const upkeep = await startUpkeep(app, log);
    app.callers.keep("hash", identity, 1);
    broken = true;
    await waitFor("the caller to be forgotten", () =>
      app.callers.find("hash") === undefined ? true : undefined,
    );
    app.callers.keep("hash", identity, 1);
    assert.equal(app.callers.find("hash"), undefined);
    await upkeep.stop();
    assert.match(lines.join(""), /credentials version could not be read/);
  });

  it("purges what has expired by the clock, and continues after a failure", async () => {
    const purgedAt: number[] = [];
    const lines: string[] = [];
    const app = makeApp({
      credentialsVersion: async () => 1,
      purgeExpired: (now) => {
        purgedAt.push(now);
        return Promise.reject(new Error("busy"));
      },
    });
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
    const upkeep = await startUpkeep(app, log);
    await waitFor("a purge", () => (purgedAt.length > 0 ? true : undefined));
    await waitFor("its failure in the log", () => (lines.length > 0 ? true : undefined));
    await upkeep.stop();
    assert.deepEqual(purgedAt, [1_000]);
  });
});
