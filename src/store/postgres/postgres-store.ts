// The store on PostgreSQL: which of its methods runs in which transaction, and what that one may see. Contains no SQL,
// and decides nothing about records.

import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { deletionOf, heldMeanwhile, toCompletion, withScans } from "../completion-outcome.ts";
import { unpackOutcome } from "../group/packed-outcome.ts";
import { postponeDeletion } from "../sql/deletion.ts";
import { setFloor } from "../sql/floor.ts";
import { placeHold } from "../sql/hold.ts";
import { bindMethods } from "../sql/methods.ts";
import type { OrganizationStep } from "../sql/organization-erasure.ts";
import { readCredentialsVersion } from "../sql/organization.ts";
import { organization, type Visibility } from "../sql/visibility.ts";
import type { ConnectionSettings } from "../connection-settings.ts";
import type { Act, Claim, Completion, ErasureStep, Store, StoreOptions } from "../store.ts";
import { deletionIdOf, outcomeOf } from "./commit/job.ts";
import { makeJobQueue, makeLookUpQueue } from "./commit/job-groups.ts";
import type { Database } from "./database.ts";
import { claimDeletion, type FloorScans } from "./erase/claim.ts";
import { eraseStep } from "./erase/erasure.ts";
import { checkErasure } from "./erase/erasure-check.ts";
import { OrganizationErasures } from "./erase/organization-erasures.ts";
import { Leases, type Postponement } from "./erase/lease.ts";
import { scanParties } from "./erase/party-scan.ts";
import { lockPlansOf } from "./erase/plan-lock.ts";
import { ErasureVacuum } from "./erase/vacuum.ts";
import { completeDeletion } from "./erase/verification.ts";
import { findExpired } from "./expired.ts";
import { awaitWriters, readLatestArrival } from "./export.ts";
import { checkIntegrity } from "./integrity.ts";
import { Pace } from "./pace.ts";
import { schemaVersion } from "./migration/migrate.ts";
import type { Transaction } from "./transaction.ts";
import { readDatabaseSize } from "./database-size.ts";
import { probeWrite } from "./write-probe.ts";

const deletions: Visibility = { view: "deletions" };

export interface PostgresOptions extends StoreOptions {
  /** How another thread of a serving process opens its own connections. */
  readonly sharing?: { readonly url: string; readonly connections: ConnectionSettings };
}

export function makePostgresStore(database: Database, options: PostgresOptions): Store {
  const { store, holds, retention, overview, ...groups } = bindMethods(
    (_name, { kind, visibility, work }) => {
      const inTransaction = kind === "lookup" ? "inOneGo" : "transaction";
      return (...args) =>
        database[inTransaction](visibility(...args), (tx) => tx.perform(work, ...args));
    },
  );
  const jobs = makeJobQueue(database, options.onGroup);
  const lookUps = makeLookUpQueue(database);
  const vacuum = new ErasureVacuum(database);
  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([jobs.close(), lookUps.close(), vacuum.stop()]);
    await database.close();
  };
  return {
    engine: "postgres",
    schemaVersion,
    ...store,
    ...deletionMethods(database, { options, vacuum }),
    ...upkeepMethods(database),
    shareWriter: () => {
      if (options.sharing === undefined) throw new TypeError("a command has no writer to share");
      return { data: { engine: "postgres", ...options.sharing }, transfer: [] };
    },
    // Every read is a separate transaction.
    writtenElsewhere: () => undefined,
    refuseWrites: () => jobs.refuse(),
    writeRecords: async (write) =>
      unpackOutcome(outcomeOf(await jobs.submit({ kind: "write", write }))),
    // Lookups that are requested at the same time share a transaction, as writes do.
    findRecord: async (key: RecordKey) => (await lookUps.submit(key)) ?? undefined,
    // What is written before the closing is complete then: the deletion evaluates its floors, and erases it.
    requestOrganizationDeletion: async (request, act) => {
      await awaitWriters(database);
      return store.requestOrganizationDeletion(request, act);
    },
    requestDeletion: async (request, act) =>
      deletionIdOf(await jobs.submit({ kind: "request", request, act })),
    purgeExpired: async (now) => {
      await store.purgeExpired(now);
      vacuum.start();
    },
    close: () => (closed ??= close()),
    holds: {
      ...holds,
      place: (hold, act) =>
        database.transaction(organization(hold.organizationId), async (tx) => {
          await lockPlansOf(tx, hold.organizationId);
          return tx.perform(placeHold, hold, act);
        }),
    },
    retention: {
      ...retention,
      setFloor: (wanted, act) =>
        database.transaction(organization(wanted.organizationId), async (tx) => {
          await lockPlansOf(tx, wanted.organizationId);
          return tx.perform(setFloor, wanted, act);
        }),
    },
    overview: { ...overview, sizeBytes: () => database.inOneGo({}, readDatabaseSize) },
    ...groups,
  };
}

/** Calls run one after another: several deletions of a process together take no more connections than one. */
function inTurn<Args extends readonly unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const mine = last.then(() => work(...args));
    last = mine.catch(() => undefined);
    return mine;
  };
}

interface DeletionParts {
  readonly options: PostgresOptions;
  readonly vacuum: ErasureVacuum;
}

type AnyStep = ErasureStep & Partial<OrganizationStep>;

function deletionMethods(database: Database, { options, vacuum }: DeletionParts) {
  const leases = new Leases();
  const organizations = new OrganizationErasures();
  const scans: FloorScans = new Map();
  const postpone = postponer(database, leases);
  const completeDeletions = makeCompletion(database, { options, vacuum, leases, organizations });
  return {
    // More would gain nothing: processes share the work instead.
    deletionsAtOnce: 1,
    claimDeletion: inTurn(async (claim: Claim) => {
      for (const postponement of leases.postponements) await postpone(postponement);
      for (let checks = 0; checks < limits.fruitlessChecksMax; checks += 1) {
        const work = (tx: Transaction) => claimDeletion(tx, claim, scans);
        const deletion = await database.transaction(deletions, work);
        if (deletion === "waiting") continue;
        if (deletion === undefined) return undefined;
        leases.claimed(deletion, claim.claimant);
        if (isOfOrganization(deletion)) organizations.begin(deletion.deletionRequestId);
        return deletion;
      }
      return undefined;
    }),
    eraseStep: inTurn(async (deletionRequestId: string, recordsMax: number, act: Act) => {
      const pace = new Pace();
      const step: AnyStep = await database.transaction(deletions, async (tx) => {
        const deletion = await leases.lock(tx, deletionRequestId);
        return isOfOrganization(deletion)
          ? organizations.eraseStep(tx, deletion, { rowsMax: recordsMax, act })
          : eraseStep(tx, deletion, { recordsMax, act });
      });
      const { place, ...result } = step;
      if ("place" in step) organizations.reached(deletionRequestId, place);
      else if (!step.done) await pace.rest();
      return result;
    }),
    completeDeletion: async (id, act) => deletionOf((await completeDeletions([id], act))[0]),
    completeDeletions,
    postponeDeletion: async (deletionRequestId, why, nextAttemptAt) => {
      const postponement = { deletionRequestId, why, nextAttemptAt };
      leases.addPostponement(postponement);
      await postpone(postponement);
    },
    findExpired: (query) =>
      database.transaction(organization(query.organizationId), (tx) => findExpired(tx, query)),
  } satisfies Partial<Store>;
}

interface CompletionParts extends DeletionParts {
  readonly leases: Leases;
  readonly organizations: OrganizationErasures;
}

function makeCompletion(
  database: Database,
  { options, vacuum, leases, organizations }: CompletionParts,
): Store["completeDeletions"] {
  const completeScanned: Store["completeDeletion"] = async (deletionRequestId, act) => {
    const ofOrganization = organizations.has(deletionRequestId);
    if (ofOrganization) await awaitWriters(database);
    const visibility = ofOrganization ? { ...deletions, unlimitedTime: true } : deletions;
    const verification = await database.transaction(visibility, async (tx) => {
      const deletion = await leases.lock(tx, deletionRequestId);
      return completeDeletion(tx, deletion, { act, seal: options.sealReceipt });
    });
    if (verification.result === "held") throw heldMeanwhile(verification.waitingFor);
    if (ofOrganization) organizations.begin(deletionRequestId);
    if (verification.result === "found") return undefined;
    leases.end(deletionRequestId);
    organizations.end(deletionRequestId);
    vacuum.erased();
    return verification.deletion;
  };
  return async (ids, act) => {
    const found = await scanParties({ database, leases }, ids, act);
    return withScans(ids, found, async (ready) => {
      const outcomes: Completion[] = [];
      for (const id of ready) outcomes.push(await toCompletion(completeScanned(id, act)));
      return outcomes;
    });
  };
}

function postponer(database: Database, leases: Leases) {
  return async ({ deletionRequestId, why, nextAttemptAt }: Postponement): Promise<void> => {
    const claimant = leases.claimantOf(deletionRequestId);
    if (claimant !== undefined) {
      await database.transaction(deletions, (tx) =>
        tx.perform(postponeDeletion, deletionRequestId, why, nextAttemptAt, { claimant }),
      );
    }
    leases.end(deletionRequestId);
  };
}

function upkeepMethods(database: Database) {
  return {
    latestArrival: () => readLatestArrival(database),
    ping: () => database.inOneGo({}, async (tx) => void (await tx.perform(readCredentialsVersion))),
    probeWrite: () => database.inOneGo({}, probeWrite),
    // Vacuum frees it, and PostgreSQL uses it again.
    reclaimSpace: async () => false,
    checkIntegrity: () => checkIntegrity(database),
    checkErasure: () => checkErasure(database),
  } satisfies Partial<Store>;
}
