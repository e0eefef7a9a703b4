// A stopped store with a backup, and many operations after the backup: deletions, one record deleted twice, holds
// placed and released, one that ended by itself, and a retention rule; and searches before and after it. And what has
// to be true of it at any time, whatever was killed. The commands on the embedded store that are killed at each of
// their steps, and what has to hold after each kill.

import assert from "node:assert/strict";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { App } from "../../../src/actions/app.ts";
import { publishReceiptKeys } from "../../../src/actions/receipt/receipt-keys.ts";
import { verifyReceipts } from "../../../src/actions/receipt/verify-receipt.ts";
import { type CommandLine, makeCommandLine, withoutManifest } from "../../cli/command-line.ts";
import {
  addTransaction,
  awaitCompletion,
  deleteOne,
  requestDeletion,
} from "../../receipt/scene.ts";
import { samples } from "../../feature/samples.ts";
import { type Customer, makeCustomer } from "../../support/customer.ts";
import type { Client } from "../../support/http-client.ts";
import { operate, startServer } from "../../support/server.ts";
import { testEnvironment } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";

const organizationId = "acme";
const ofAcme = ["--organization", organizationId] as const;

/**
 * Ids that are erased in any case, and ids that stay, except `late`, which is lost with everything
 * after the backup.
 */
const erased = ["gone-1", "gone-2", "gone-3", "twice"];
const kept = ["stays-1", "stays-2", "held"];
const late = "late";

/** Persons that stay, and one who is erased after the backup. */
const persons = ["person-1", "person-2"];
const gone = "person-gone";
const endingHold = "hold_ending";

export interface Place {
  /** Contains both folders. */
  readonly root: string;
  readonly data: string;
  readonly apart: string;
  readonly backup: string;
  readonly receipts: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Scenario {
  /**
   * Returns a copy of the scene that nobody else uses, in the state in which the command finds it.
   */
  readonly copy: () => Promise<Copy>;
  readonly words: (place: Place) => readonly string[];
  /** After a kill, or, with `killed` false, after the command has finished. */
  readonly verify: (place: Place, killed: boolean) => Promise<void>;
  /** Messages to a server are steps too. */
  readonly messages?: boolean;
}

interface Copy {
  readonly place: Place;
  readonly remove: () => Promise<void> | void;
}

export function placeIn(root: string, more: Readonly<Record<string, string>> = {}): Place {
  const [data, apart] = [join(root, "data"), join(root, "apart")];
  return {
    root,
    data,
    apart,
    backup: join(apart, "backup.db"),
    receipts: join(apart, "receipts.ndjson"),
    environment: testEnvironment(data, more),
  };
}

/** `backUp`: how the state in the middle is saved. */
export async function makeScene(
  place: Place,
  backUp: (place: Place) => Promise<unknown> = (from) => lineOf(from).ask("backup", from.backup),
): Promise<void> {
  mkdirSync(place.data, { recursive: true });
  mkdirSync(place.apart, { recursive: true });
  const line = lineOf(place);
  const first = await startServer({ folder: place.data, environment: place.environment });
  const acme = await first.operate((app) => makeCustomer(app, first.client, { organizationId }));
  for (const id of [...kept, ...erased]) await addTransaction(first.client, acme, id);
  await deleteOne(first.client, acme, "before");
  await line.ask("deletion hold transaction stays-1", ...ofAcme, "--reason", "released later");
  await line.ask("deletion hold transaction held", ...ofAcme, "--reason", "in force before");
  for (const id of [...persons, gone]) await addPerson(first.client, acme, id);
  await requirePersons(place, [...persons, gone]);
  await first.operate((app) => placeEnding(app));
  await first.stop();
  await backUp(place);
  const second = await startServer({ folder: place.data, environment: place.environment });
  await changeAfterBackup(second.client, acme);
  await line.ask("deletion hold transaction held", ...ofAcme, "--reason", "in force since");
  await line.ask("deletion release transaction stays-1", ...ofAcme);
  await line.ask(
    "retention set --type screening --keep-days 7 --delete-after-days 900 --yes",
    ...ofAcme,
  );
  await requirePersons(place, persons);
  await second.operate(async ({ store }) => {
    await waitFor(
      "the hold to end",
      async () => (await store.holds.find(endingHold)) === undefined,
    );
  });
  const { out } = await line.type("receipt export --include-confidential");
  writeFileSync(place.receipts, out);
  await second.stop();
}

async function changeAfterBackup(client: Client, acme: Customer): Promise<void> {
  await addTransaction(client, acme, late);
  for (const id of erased) {
    await awaitCompletion(client, acme, await requestDeletion(client, acme, id));
  }
  await deleteOne(client, acme, "twice");
  const body = { person_id: gone, reason: "no longer needed" };
  const reply = await client.send({
    method: "DELETE",
    path: "/v2/person",
    token: acme.token,
    body,
  });
  await awaitCompletion(client, acme, String(reply.body["deletion_request_id"]));
}

async function addPerson(client: Client, { token }: Customer, id: string): Promise<void> {
  const body = {
    person_id: id,
    is_test_user: false,
    is_retail_customer: true,
    name: "Ada Example",
    timestamp: "2026-01-31T09:30:00Z",
  };
  const reply = await client.send({ method: "POST", path: "/v2/person", token, body });
  assert.equal(reply.status, 201, reply.text);
}

/** Its last day has passed, so the next server ends it. */
async function placeEnding({ store }: App): Promise<void> {
  const texts = { reason: "ended since", owner: undefined, reviewOn: undefined };
  const record = { organizationId, resourceType: "transaction", resourceId: "stays-2" };
  const hold = { ...texts, ...record, holdId: endingHold, endsOn: "2026-02-01" };
  await store.holds.place(hold, { actor: "operator", now: Date.parse("2026-01-31") });
}

/** A search finds these persons, whatever the index had when the backup was taken, and nobody else. */
async function requirePersons(place: Place, ids: readonly string[]): Promise<void> {
  for (const { requirePersons: require } of samples) await require?.(lineOf(place), ids);
}

function lineOf({ data, environment }: Place): CommandLine {
  return makeCommandLine({ folder: data, environment });
}

/** Nothing that was erased is shown, exported or served at any moment. */
export async function requireErasedUnreadable(place: Place): Promise<void> {
  const line = lineOf(place);
  for (const id of erased) {
    const { code, out } = await line.type("record show transaction", id, ...ofAcme);
    assert.ok(code === 1 && out === "", `${id} is shown: ${out}`);
  }
  const { code, out } = await line.type("export transaction", ...ofAcme);
  for (const id of erased) assert.ok(!out.includes(`"${id}"`), `${id} is exported`);
  for (const words of ["check", "organization show acme"]) {
    const outcome = await line.type(words);
    // A store that can't be exported because it is incomplete is rejected everywhere.
    if (code === 1) assert.match(outcome.err, /sluice deletion replay/, words);
  }
}

/**
 * What exists once a replay has finished. `restored`: whether the backup is in place; undefined:
 * either.
 */
export async function requireWhole(place: Place, restored: boolean | undefined): Promise<void> {
  const line = lineOf(place);
  let replayed = await line.type("deletion replay");
  // It had not been read to its end, so it has to be passed again.
  const again = /sluice deletion replay (--ledger \S+)$/m.exec(replayed.err)?.[1] ?? "";
  if (again !== "") replayed = await line.type(`deletion replay ${again}`);
  assert.equal(replayed.code, 0, replayed.err + replayed.out);
  const { out } = await line.type("export transaction", ...ofAcme);
  const ids = withoutManifest(out)
    .split("\n")
    .flatMap((text) =>
      text === "" ? [] : [String((JSON.parse(text) as { tx_id: unknown }).tx_id)],
    );
  const hasLate = ids.includes(late);
  assert.deepEqual(ids.filter((id) => id !== late).toSorted(), kept.toSorted());
  if (restored !== undefined) assert.equal(hasLate, !restored);
  const { holds } = (await line.ask("deletion holds")) as { holds: readonly { reason: string }[] };
  assert.deepEqual(holds.map(({ reason }) => reason).toSorted(), [
    "in force before",
    "in force since",
  ]);
  const { rules } = (await line.ask("retention show", ...ofAcme)) as { rules: readonly object[] };
  assert.equal(rules.length, 1, JSON.stringify(rules));
  await requirePersons(place, persons);
  const check = await line.type("check --erasure");
  assert.equal(check.code, 0, check.out + check.err);
  await requireReceipts(place);
  requireNoLeftovers(place);
}

/** Whether the state before the backup is in place. */
async function isRestored(place: Place): Promise<boolean> {
  const { out } = await lineOf(place).type("export transaction", ...ofAcme);
  return !out.includes(`"${late}"`);
}

/** One for each deletion that was completed, whatever was restored since, and each genuine. */
async function requireReceipts(place: Place): Promise<void> {
  const line = lineOf(place);
  const { out } = await line.type("receipt export --include-confidential");
  const receipts = withoutManifest(out).trim().split("\n");
  assert.equal(receipts.length, erased.length + 3);
  const published = await operate(line.environment, publishReceiptKeys);
  for (const receipt of receipts) {
    assert.deepEqual(verifyReceipts([JSON.parse(receipt)], published)[0]?.faults, [], receipt);
  }
}

function requireNoLeftovers({ data, apart }: Place): void {
  const names = [...readdirSync(data), ...readdirSync(apart)];
  const left = names.filter((name) => /\.restoring|unfinished-|\.unfinished/.test(name));
  assert.deepEqual(left, []);
}

export function copySite(site: string): Copy {
  const root = makeTempFolder();
  cpSync(site, join(root, "site"), { recursive: true });
  return { place: placeIn(join(root, "site")), remove: () => removeFolder(root) };
}

/** `site`: the root of a scene. */
export function sqliteScenarios(site: string): Readonly<Record<string, Scenario>> {
  const copy = (prepare: (place: Place) => void) => async () => {
    const made = copySite(site);
    prepare(made.place);
    return made;
  };
  return {
    restore: {
      copy: copy(() => undefined),
      words: ({ backup, receipts }) => ["restore", backup, "--replace", "--ledger", receipts],
      verify: verifyRestore,
    },
    "restore on another host": {
      copy: copy(forgetStore),
      words: ({ backup, receipts }) => ["restore", backup, "--ledger", receipts],
      verify: verifyElsewhere,
    },
    replay: {
      // As an operator would who copies the file back by hand.
      copy: copy(({ backup, data }) => copyFileSync(backup, join(data, "sluice.db"))),
      words: ({ receipts }) => ["deletion", "replay", "--ledger", receipts],
      verify: async (place) => {
        await requireErasedUnreadable(place);
        await requireWhole(place, true);
      },
    },
    backup: {
      copy: copy(() => undefined),
      words: ({ apart }) => ["backup", join(apart, "another.db")],
      verify: verifyBackup,
    },
  };
}

async function verifyRestore(place: Place, killed: boolean): Promise<void> {
  await requireErasedUnreadable(place);
  await requireWhole(place, killed ? undefined : true);
  if (await isRestored(place)) return;
  // It had not finished; running the same command again finishes it.
  await lineOf(place).ask("restore", place.backup, "--replace");
  await requireWhole(place, true);
}

/** Neither store nor ledger exists: receipts tell what has to be erased again. */
function forgetStore({ data }: Place): void {
  for (const name of readdirSync(data)) {
    if (/^(?:sluice|deletion-ledger)/.test(name)) rmSync(join(data, name));
  }
}

/**
 * The holds were in the lost ledger, so the only requirement is that nothing erased is readable.
 */
async function verifyElsewhere(place: Place): Promise<void> {
  if (!existsSync(join(place.data, "sluice.db"))) return;
  await requireErasedUnreadable(place);
  assert.equal((await lineOf(place).type("deletion replay")).code, 0);
  await requireErasedUnreadable(place);
  assert.equal((await lineOf(place).type("check --erasure")).code, 0);
}

async function verifyBackup(place: Place, killed: boolean): Promise<void> {
  const another = join(place.apart, "another.db");
  // Any command cleans up.
  assert.equal((await lineOf(place).type("check")).code, 0);
  requireNoLeftovers(place);
  if (existsSync(another)) {
    const store = await openTestStore(`sqlite:${another}`, { role: "command" });
    assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
    await store.close();
  } else {
    assert.ok(killed);
  }
  await requireWhole(place, false);
}
