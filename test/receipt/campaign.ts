// A process that is killed at any step of two due deletions, and of the end of the holds that a third one waits for:
// after the next start each is completed, once, with one genuine receipt that follows the previous ones, and is in the
// ledger, as is the end of each hold.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import type { App } from "../../src/actions/app.ts";
import { catchUpLedger, wasRolledBack } from "../../src/actions/ledger/keep-ledger.ts";
import { endHolds } from "../../src/actions/retention/holds.ts";
import { hashCounts } from "../../src/actions/receipt/receipt-counts.ts";
import { publishReceiptKeys } from "../../src/actions/receipt/receipt-keys.ts";
import { verifyReceipts } from "../../src/actions/receipt/verify-receipt.ts";
import { countsOf } from "../../src/domain/deletion/receipt-count.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
  makeLimit,
} from "../campaign/campaign.ts";
import { spread } from "../campaign/spread.ts";
import { acme, keyOf, operator, worker } from "../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { makeRandom } from "../support/random.ts";
import { operate } from "../support/server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { type TestStore, withActs } from "../support/test-store.ts";
import { waitFor } from "../support/wait-for.ts";
import { killAt, processDue } from "./kill-scene.ts";

interface Figures {
  /** At which a process can be killed. */
  points: number;
  kills: number;
}

export const crashDeletion: Campaign<Figures> = {
  about:
    "kills a process at every point of its deletions, and verifies what the next one completes",
  counts: "kills",
  countDefault: 10_000,
  engines: ["sqlite", "postgres"],
  run: async (run) => {
    if (run.engine === "sqlite") return killEverywhere(run, await placeOnSqlite());
    const server = await startPostgres();
    try {
      return await killEverywhere(run, await placeOnPostgres(server));
    } finally {
      await server.remove();
    }
  },
};

/** Their last day was long ago. */
const endingHolds = ["hold_one", "hold_two"];

/** A deletion that waits for holds that nobody has ended yet, and a hold without an end. */
async function prepareHolds(store: TestStore): Promise<void> {
  for (const id of ["kept", "stays"]) await store.add("transaction", id);
  const texts = { owner: undefined, reviewOn: undefined };
  for (const holdId of endingHolds) {
    const hold = {
      ...texts,
      reason: holdId,
      ...keyOf("transaction", "kept"),
      holdId,
      endsOn: "2026-02-01",
    };
    await store.holds.place(hold, operator);
  }
  await store.hold(keyOf("transaction", "stays"));
  await store.request(keyOf("transaction", "kept"), { deletionRequestId: "del_kept" });
  const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "test" };
  assert.deepEqual(await store.claimDeletions(claim, 9), []);
  assert.equal((await store.findDeletion("del_kept", undefined))?.isHeld, true);
}

/** One completed deletion, and two due ones, of four records and of one; and one that waits for holds. */
async function prepare(app: App): Promise<void> {
  const store = withActs(app.store);
  for (const id of ["earlier", "t", "u"]) await store.add("transaction", id);
  await store.request(keyOf("transaction", "earlier"), { deletionRequestId: "del_earlier" });
  await processDue(app);
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.add("transaction_alert", "a", { related_check_id: "c" });
  await prepareHolds(store);
  await store.add("transaction_alert", "x", { related_tx_ids: ["t", "stays"] });
  await store.request(keyOf("transaction", "t"), { deletionRequestId: "del_t" });
  await store.request(keyOf("transaction", "u"), { deletionRequestId: "del_u" });
}

/** A folder with its store, and how to get a copy of it. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  copy(): Promise<Place>;
  /** Resolves when what a killed process had begun is over: its sessions hold locks until the server ends them. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

async function placeOnSqlite(): Promise<Place> {
  const folder = makeTempFolder();
  return {
    environment: testEnvironment(folder),
    copy: async () => {
      const place = await placeOnSqlite();
      cpSync(folder, place.environment["DATA_DIR"] ?? "", { recursive: true });
      return place;
    },
    settle: () => Promise.resolve(),
    remove: async () => removeFolder(folder),
  };
}

async function placeOnPostgres(server: PostgresServer, template?: string): Promise<Place> {
  const folder = makeTempFolder();
  const url = await server.makeDatabase(template === undefined ? {} : { template });
  return {
    environment: testEnvironment(folder, { DATABASE_URL: url }),
    copy: async () => {
      const place = await placeOnPostgres(server, new URL(url).pathname.slice(1));
      cpSync(folder, place.environment["DATA_DIR"] ?? "", { recursive: true });
      return place;
    },
    settle: async () => {
      await waitFor("the sessions of the killed process to end", async () => {
        return (await server.query(otherSessions, url)).length === 0;
      });
    },
    remove: async () => {
      await server.dropDatabase(url);
      removeFolder(folder);
    },
  };
}

const otherSessions = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

const completed = ["del_earlier", "del_kept", "del_t", "del_u"];

/** Each hold has ended once, by the trail and by the ledger; the other one has not. */
async function requireEndedOnce({ store, ledger }: App): Promise<void> {
  const released = (await store.listAudit(0, 1_000)).filter(
    ({ action }) => action === "hold.release",
  );
  const stated = released.map(
    ({ detail }) => `${String(detail["holdId"])} ${String(detail["because"])}`,
  );
  const expected = endingHolds.map((id) => `${id} ended`);
  assert.deepEqual(stated.toSorted(compare), expected);
  const noted: string[] = [];
  for await (const { entries } of ledger.readParts()) {
    for (const entry of entries) {
      if (entry.kind === "hold_released") noted.push(`${entry.holdId} ${String(entry.because)}`);
    }
  }
  assert.deepEqual(noted.toSorted(compare), expected);
  const left = await store.holds.ofRecords(["kept", "stays"].map((id) => keyOf("transaction", id)));
  assert.deepEqual(
    left.map(({ resourceId }) => resourceId),
    ["stays"],
  );
}

async function requireCompletedOnce(app: App): Promise<void> {
  const { ledger } = app;
  const store = withActs(app.store);
  const deletion = await store.findDeletion("del_t", undefined);
  assert.equal(deletion?.status, "completed");
  assert.deepEqual(deletion.erased, { transaction: 1, transaction_check: 1, transaction_alert: 1 });
  assert.equal(deletion.redacted, 1);
  assert.equal((await store.findDeletion("del_u", undefined))?.status, "completed");
  const receipts = (await store.listReceipts(0, 10)).map(({ receipt }) => receipt);
  const ids = receipts.map(({ deletion_request_id }) => deletion_request_id);
  assert.deepEqual(ids.toSorted(compare), completed);
  for (const { name, faults } of verifyReceipts(receipts, await publishReceiptKeys(app))) {
    assert.deepEqual(faults, [], name);
  }
  const receipt = receipts[ids.indexOf("del_t")];
  assert.ok(receipt?.version === 2);
  const saltKey = await store.receiptSaltKey();
  assert.deepEqual(receipt.counts, hashCounts(countsOf(deletion), receipt, { saltKey }));
  await catchUpLedger(app);
  const noted: string[] = [];
  for await (const { entries } of ledger.readParts()) {
    for (const entry of entries) {
      if (entry.kind === "deletion" && entry.completed !== undefined) {
        noted.push(entry.deletionRequestId);
      }
    }
  }
  assert.deepEqual(noted, ids);
  await requireEndedOnce(app);
  assert.equal(await wasRolledBack(app), false);
  assert.deepEqual(await store.countRecords(acme), { transaction: 1, transaction_alert: 1 });
  await store.requireConsistent();
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

async function inCopy<Result>(
  place: Place,
  work: (copy: Place) => Promise<Result>,
): Promise<Result> {
  const copy = await place.copy();
  try {
    return await work(copy);
  } finally {
    await copy.remove();
  }
}

/** Stops at the first finding. */
async function killEverywhere(
  run: CampaignRun,
  prepared: Place,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  await operate(prepared.environment, prepare);
  const points = (await inCopy(prepared, ({ environment }) => killAt(0, environment))) ?? 0;
  const all = Array.from({ length: points }, (_, index) => index + 1);
  const figures = { points, kills: 0 };
  const findings: string[] = [];
  for (const point of spread(all, { count: run.countMax, random: makeRandom(run.seed) })) {
    if (isOver(figures.kills) || findings.length > 0) break;
    await inCopy(prepared, async (copy) => {
      const { environment } = copy;
      assert.equal(await killAt(point, environment), undefined);
      await copy.settle();
      figures.kills += 1;
      await operate(environment, requireCompletion);
    }).catch((error: unknown) => findings.push(`point ${point}: ${findingOf(error)}`));
    run.tell(`point ${point} of ${points}: ${findings.length} findings`);
  }
  await prepared.remove();
  return { figures, findings };
}

async function requireCompletion(app: App): Promise<void> {
  assert.equal(await wasRolledBack(app), false);
  while ((await endHolds(app)).more);
  await processDue(app);
  await requireCompletedOnce(app);
}
