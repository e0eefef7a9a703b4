// The store on PostgreSQL: opens it for its role, and runs each method in a transaction with the visibility that it
// needs. Decides nothing about records.

import { SerialQueue } from "../../basics/serial-queue.ts";
import { shareNext } from "../../basics/share-next.ts";
import type { Act } from "../interface/act.ts";
import { defaultConnections, type SharedServer } from "../interface/connection-settings.ts";
import type { Claim } from "../interface/deletion.ts";
import type { Store, StoreOptions } from "../interface/store.ts";
import { makeClaimer, makePartyIndexing } from "../shared/claimer.ts";
import { refuseDifference } from "../shared/schema-parts.ts";
import { readCredentialsVersion } from "../sql/access/organization.ts";
import { postponeDeletion } from "../sql/deletion/deletion.ts";
import type { Purge } from "../sql/method.ts";
import { findCaller, findKeyBySecret } from "../sql/access/api-key.ts";
import { bindMethods } from "../sql/methods.ts";
import { schemaVersion } from "../sql/migrations.ts";
import { claimDeletions, claimLarge, type StepBounds } from "../sql/plan/claim-step.ts";
import { scanBounds } from "../sql/plan/organization-obstacle.ts";
import { smallCascades } from "../sql/plan/record-plans.ts";
import { refuseRestoring } from "../sql/restore/replay.ts";
import { setFloor } from "../sql/retention/floor.ts";
import { placeHold } from "../sql/retention/hold.ts";
import type { Statements } from "../sql/statement/statements.ts";
import { allDeletions, allOrganizations, organization } from "../sql/statement/visibility.ts";
import { awaitWriters, raiseCounter, readLatestArrival, readSettledArrival } from "./arrival.ts";
import { makeJobQueue } from "./commit/job-groups.ts";
import { makeCredentialQueue, makeLookUpQueue } from "./commit/look-ups.ts";
import { makeCheck, OtherThreads } from "./continued.ts";
import type { Database } from "./database.ts";
import { Leases, lockPlansOf } from "./erase/enter.ts";
import { eraseStep, makeCompletion } from "./erase/steps.ts";
import { ErasureVacuum } from "./erase/vacuum.ts";
import { checkErasure, checkIntegrity } from "./integrity.ts";
import { compareSchema } from "./migration/actual-schema.ts";
import { requireRights } from "./migration/find-schema.ts";
import { MethodTurns } from "./method-turns.ts";
import { openDatabase } from "./open-database.ts";
import { bulkConnectionsMax } from "./settings.ts";
import { postgresTraits } from "./traits.ts";
import { probeWrite, readDatabaseSize } from "./write-probe.ts";

/** Throws StoreError. */
export async function openPostgresStore(url: string, options: StoreOptions): Promise<Store> {
  const { own, shared } = shareOut(options);
  const database = await openDatabase(url, { ...options, connections: own }, async (opened) => {
    if (options.role === "serve") {
      refuseDifference("The database", await opened.transaction(allOrganizations, compareSchema));
      await opened.transaction({}, requireRights);
    }
    await opened.transaction({}, async (transaction) => {
      for (const { refuse } of options.parts.list) if (refuse) await transaction.perform(refuse);
    });
    if (options.role !== "command" || options.writesBeside === true) {
      await opened.transaction(allOrganizations, raiseCounter);
    }
    if (options.restoring !== true) {
      await opened.transaction({}, (transaction) => transaction.perform(refuseRestoring));
    }
  });
  if (options.role !== "serve") return makeStore(database, options);
  const { mustHave } = options;
  if (mustHave !== undefined) {
    database.requireContinued = makeCheck(mustHave);
    // They were made before there was a check.
    database.renewConnections();
  }
  const others = mustHave && new OtherThreads(mustHave);
  const { distributed, secured, serverVersion, schema } = database;
  const server = { distributed, secured, serverVersion, schema };
  const sharing = { url, connections: shared, server };
  return makeStore(database, { ...options, sharing, others });
}

/** Reserves some connections of a serving process for its bulk thread. */
function shareOut({ role, connections = defaultConnections }: StoreOptions) {
  const { poolMax } = connections;
  const forBulk = role === "serve" ? Math.min(bulkConnectionsMax, Math.floor(poolMax / 2)) : 0;
  return {
    own: { ...connections, poolMax: poolMax - forBulk },
    shared: { ...connections, poolMax: forBulk },
  };
}

interface PostgresOptions extends StoreOptions {
  /** What another thread of a serving process needs to open its own connections. */
  readonly sharing?: SharedServer;
  readonly others?: OtherThreads | undefined;
}

function makeStore(database: Database, options: PostgresOptions): Store {
  const vacuum = new ErasureVacuum(database);
  const turns = new MethodTurns(database.connections);
  const { store, holds, retention, overview, ...groups } = bindMethods(
    (_name, { kind, visibility, work, mayHaveResidue }) => {
      const inTransaction = kind === "lookup" ? "inOneGo" : "transaction";
      const perform = (...args: never[]) => {
        const visible = visibility(...args);
        return turns.run(visible, () =>
          database[inTransaction](visible, (tx) => tx.perform(work, ...args)),
        );
      };
      return mayHaveResidue === undefined ? perform : vacuuming(perform as Purge, vacuum);
    },
    database.parts,
  );
  const jobs = makeJobQueue(database, options.onGroup);
  const lookUps = makeLookUpQueue(database);
  const keys = makeCredentialQueue(database, findKeyBySecret);
  const callers = makeCredentialQueue(database, findCaller);
  let closed: Promise<void> | undefined;
  const close = async () => {
    const queues = [jobs, lookUps, keys, callers];
    await Promise.all([...queues.map((queue) => queue.close()), vacuum.stop()]);
    await database.close();
  };
  return {
    engine: "postgres",
    traits: postgresTraits,
    schemaVersion,
    ...store,
    ...deletionMethods(database, { options, vacuum, index: groups.parties.index }),
    ...upkeepMethods(database, options.others),
    shareWriter: () => {
      if (options.sharing === undefined) throw new TypeError("a command has no writer to share");
      const ledger = options.others?.connect();
      // The thread writes groups: with less, their rows would become garbage of the old generation.
      return {
        data: { engine: "postgres", ...options.sharing, ledger },
        transfer: ledger === undefined ? [] : [ledger],
        youngMebibytesMax: 48,
      };
    },
    // Every read is a separate transaction.
    writtenElsewhere: () => undefined,
    ...jobs,
    findRecord: (key) => lookUps.submit(key),
    findKeyBySecret: (secretHash) => keys.submit(secretHash),
    findCaller: (tokenHash) => callers.submit(tokenHash),
    // Waits for all writes that began before the closing, so that the deletion evaluates and erases what they stored.
    requestOrganizationDeletion: async (request, act) => {
      await awaitWriters(database);
      return store.requestOrganizationDeletion(request, act);
    },
    purgeExpired: async (now) => {
      const more = await store.purgeExpired(now);
      if (!more) vacuum.start();
      return more;
    },
    close: () => (closed ??= close()),
    holds: { ...holds, place: withPlansLocked(turns, database, placeHold) },
    retention: { ...retention, setFloor: withPlansLocked(turns, database, setFloor) },
    overview: { ...overview, sizeBytes: () => database.inOneGo({}, readDatabaseSize) },
    ...groups,
  };
}

/** A plan sees every hold and floor, and a hold or a floor sees every plan. */
function withPlansLocked<Args extends [{ readonly organizationId: string }, ...unknown[]], Result>(
  turns: MethodTurns,
  database: Database,
  work: (...args: Args) => Statements<Result>,
): (...args: Args) => Promise<Result> {
  return (...args) => {
    const { organizationId } = args[0];
    const own = organization(organizationId);
    return turns.run(own, () =>
      database.transaction(own, async (tx) => {
        await lockPlansOf(tx, organizationId);
        return tx.perform(work, ...args);
      }),
    );
  };
}

/** Calls run one after another, so that several deletions of a process together use only as many connections as one. */
function inTurn<Args extends readonly unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const calls = new SerialQueue();
  return (...args) => calls.run(() => work(...args));
}

function vacuuming(purge: Purge, vacuum: ErasureVacuum): Purge {
  return async (range, act) => {
    const purged = await purge(range, act);
    if (purged.removed > 0) vacuum.erased();
    return purged;
  };
}

interface DeletionParts {
  readonly options: PostgresOptions;
  readonly vacuum: ErasureVacuum;
  readonly index: Store["parties"]["index"];
}

function deletionMethods(database: Database, { options, vacuum, index }: DeletionParts) {
  const settledArrival = () => readSettledArrival(database);
  const indexParties = makePartyIndexing({ settledArrival, index });
  const leases = new Leases();
  const claimSome = claimer(database, indexParties);
  return {
    claimDeletions: inTurn(async (claim: Claim, deletionsMax: number) => {
      const claimed = await claimSome(claim, deletionsMax);
      for (const deletion of claimed) leases.claimed(deletion, claim.claimant);
      return claimed;
    }),
    eraseStep: inTurn((ids: readonly string[], recordsMax: number, act: Act) =>
      database.transaction(allDeletions, (tx) => eraseStep(tx, { leases, ids, act }, recordsMax)),
    ),
    completeDeletions: makeCompletion({ database, options, vacuum, indexParties, leases }),
    postponeDeletion: async (deletionRequestId, why, nextAttemptAt) => {
      const claimant = leases.claimantOf(deletionRequestId);
      if (claimant === undefined) return;
      // If this fails, the deletion is claimed again when the lease has expired.
      await database.transaction(allDeletions, (tx) =>
        tx.perform(postponeDeletion, deletionRequestId, why, nextAttemptAt, { claimant }),
      );
      leases.end(deletionRequestId);
    },
  } satisfies Partial<Store>;
}

const bounds: StepBounds = {
  ...smallCascades,
  shortHistories: false,
  scan: scanBounds,
};

function claimer(database: Database, indexParties: () => Promise<void>): Store["claimDeletions"] {
  return makeClaimer({
    claimSome: (claim, claiming) =>
      database.transaction(allDeletions, (tx) =>
        tx.perform(claimDeletions, claim, { ...claiming, bounds }),
      ),
    beginLarge: (deletion, claim, stopping) =>
      database.transaction(allDeletions, (tx) => {
        tx.endAtPause(stopping);
        return tx.perform(claimLarge, deletion, claim);
      }),
    indexParties,
  });
}

function upkeepMethods(database: Database, others: OtherThreads | undefined) {
  return {
    latestArrival: () => readLatestArrival(database),
    // However many ask, such as all readers of the feed, they take one connection.
    settledArrival: shareNext(() => readSettledArrival(database)),
    ping: () => database.inOneGo({}, async (tx) => void (await tx.perform(readCredentialsVersion))),
    probeWrite: () => database.inOneGo({}, probeWrite),
    renewConnections: () => {
      database.renewConnections();
      others?.renewConnections();
    },
    // There is nothing to do: vacuum frees space, which PostgreSQL reuses.
    scrubSome: async () => false,
    checkIntegrity: () => checkIntegrity(database),
    checkErasure: () => checkErasure(database),
  } satisfies Partial<Store>;
}
