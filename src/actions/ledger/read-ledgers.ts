// Reads from ledgers what a store may lack: deletions, holds, retention floors, and the ends of its chains. Memory is
// bounded, except for holds, floors and settings, which are few. Changes nothing.

import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type {
  ChainHead,
  DeletionEntry,
  FloorEntry,
  LedgerEntry,
} from "../../domain/deletion/ledger-entry.ts";
import type { LedgerPart } from "../../store/interface/ledger.ts";
import type { HoldsOfReplay, LedgerMark, SettingsChange } from "../../store/interface/replay.ts";
import type { App } from "../app.ts";
import { auditPages } from "../pages.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { type Fact, Facts } from "./fact.ts";
import { factsOfAudit, factsOfLedger, storedFacts } from "./facts.ts";

/** A ledger of another host, or a file of receipts. */
export interface LedgerSource {
  readonly name: string;
  /** Reads its parts, each time from the beginning. */
  readonly read: () => AsyncIterable<LedgerPart>;
}

export interface LedgerFindings {
  /** Deletions that the store has not completed. */
  readonly unreplayed: number;
  /** Deletions that were cancelled, and are pending in the store. */
  readonly uncancelled: number;
  readonly holds: HoldsOfReplay;
  readonly floors: readonly FloorEntry[];
  readonly settings: readonly SettingsChange[];
  /** The highest link of each chain that the ledgers know. */
  readonly known: {
    readonly audit: ChainHead | undefined;
    readonly receipts: ChainHead | undefined;
  };
  /** True if one of these links is not in the store. */
  readonly behind: boolean;
}

export interface LedgerPage {
  readonly deletions: readonly DeletionEntry[];
  readonly cancelled: readonly string[];
}

/** Yields the deletions in this host's own ledger and in the others, page by page. Calls `onEntry` with every entry. */
export async function* readDeletions(
  app: App,
  sources: readonly LedgerSource[],
  onEntry: (entry: LedgerEntry) => void = () => undefined,
): AsyncGenerator<LedgerPage> {
  let deletions: DeletionEntry[] = [];
  let cancelled: string[] = [];
  for await (const entry of readAll(app, sources)) {
    onEntry(entry);
    if (entry.kind === "deletion") deletions.push(entry);
    if (entry.kind === "deletion_cancelled") cancelled.push(entry.deletionRequestId);
    if (deletions.length + cancelled.length < limits.ledgerEntriesAtOnce) continue;
    yield { deletions, cancelled };
    [deletions, cancelled] = [[], []];
  }
  yield { deletions, cancelled };
}

/** Throws OperatorError for a ledger of another store. */
export async function readLedgers(
  app: App,
  sources: readonly LedgerSource[],
): Promise<LedgerFindings> {
  const { storeId } = await app.store.receiptHead();
  const [audit, receipts] = [new Ends(), new Ends()];
  const facts = new Facts();
  const add = (entry: LedgerEntry): void => {
    if (entry.kind === "begin" || entry.kind === "heads") requireStore(storeId, entry.storeId);
    if (entry.kind === "heads") audit.add(entry.audit);
    if (entry.kind === "deletion" && entry.completed !== undefined) {
      receipts.add({ no: entry.completed.receiptNo, hash: entry.completed.receiptHash });
    }
    if (entry.kind === "restore") {
      audit.continueFrom(entry.entry);
      receipts.continueFrom(entry.receipts.restored);
    }
    facts.add(factsOfLedger(entry));
  };
  let [unreplayed, uncancelled] = [0, 0];
  for await (const { deletions, cancelled } of readDeletions(app, sources, add)) {
    unreplayed += await app.store.replay.countUnreplayed(deletions);
    uncancelled += (await app.store.replay.findUncancelled(cancelled)).length;
  }
  await addLater(app, facts);
  const expected = { auditAnchor: audit.expected, lastReceipt: receipts.expected, inProgress: [] };
  return {
    unreplayed,
    uncancelled,
    ...(await findReplaced(app, facts)),
    known: { audit: audit.highest, receipts: receipts.highest },
    behind: !(await app.store.replay.continues(expected)),
  };
}

/** A replay must not undo what was changed after the ledger was written, such as after another host's replay. */
async function addLater(app: App, facts: Facts): Promise<void> {
  for await (const page of auditPages(app)) {
    for (const entry of page) {
      facts.add(factsOfAudit(entry).filter(isLater));
    }
  }
}

/** The trail has no ids of records, so it can't state a hold that was placed. */
function isLater({ about, stated, floor, setting }: Fact): boolean {
  return floor !== undefined || setting !== undefined || (about === "hold" && stated === undefined);
}

function requireStore(own: string, named: string): void {
  if (named === own) return;
  throw new OperatorError(
    "other_store",
    `The ledger belongs to another store, ${named}; this one is ${own}. Name the ledger of this store.`,
  );
}

/** A replay does not alter a hold: its id stays, and the deletion that moved its record is replayed too. */
async function findReplaced(
  app: App,
  facts: Facts,
): Promise<Pick<LedgerFindings, "holds" | "floors" | "settings">> {
  const place: Hold[] = [];
  const release: string[] = [];
  const floors: FloorEntry[] = [];
  const settings: SettingsChange[] = [];
  for await (const { is, fact, last } of facts.differences(storedFacts(app))) {
    if (is === "missing" && fact.hold !== undefined) place.push(fact.hold);
    if (is === "ended" && fact.hold !== undefined) release.push(fact.hold.holdId);
    if (last?.floor !== undefined) floors.push(last.floor);
    if (last?.setting !== undefined) settings.push(last.setting);
  }
  return { holds: { place, release }, floors, settings };
}

async function* readAll(app: App, sources: readonly LedgerSource[]): AsyncGenerator<LedgerEntry> {
  for await (const { entries } of app.ledger.readParts()) yield* entries;
  const marks = await app.store.replay.listLedgerMarks();
  for (const source of sources) yield* readSource(source, marks);
}

async function* readSource(
  { name, read }: LedgerSource,
  marks: readonly LedgerMark[],
): AsyncGenerator<LedgerEntry> {
  let mark: LedgerMark | undefined;
  let last = 0;
  for await (const { entries, end } of read()) {
    const begin = entries.find((entry) => entry.kind === "begin");
    if (begin !== undefined) mark = marks.find(({ ledgerId }) => ledgerId === begin.ledgerId);
    last = end;
    yield* entries;
  }
  if (mark === undefined || last >= mark.end) return;
  throw new OperatorError(
    "ledger_short",
    `${name} ends at byte ${last}, but the store knows this ledger up to byte ${mark.end}: its end was cut off, or it is an ` +
      "older copy. Name the newest copy: deletions that this one lacks would not be replayed.",
  );
}

/** The link with the highest number, and the one that the store must have unless it was rolled back. */
class Ends {
  highest: ChainHead | undefined;
  expected: ChainHead | undefined;

  add(link: ChainHead): void {
    if (link.no > (this.highest?.no ?? 0)) this.highest = link;
    if (link.no > (this.expected?.no ?? 0)) this.expected = link;
  }

  /** Links that an earlier restore lost are not expected in the store. */
  continueFrom(link: ChainHead): void {
    this.add(link);
    this.expected = link.no === 0 ? undefined : link;
  }
}
