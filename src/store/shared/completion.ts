// What engines share of the completion of deletions: they are verified in turns, each receipt follows the one before it
// in the chain, and the result is a value or an error, whichever the caller needs. Stores nothing.

import { setImmediate } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { aloneNo, type ReceiptHead, type SealingHead } from "../../domain/deletion/receipt.ts";
import type { EngineTraits } from "../interface/engine-traits.ts";
import type { Completion, SealedReceipt, SealReceipt } from "../interface/deletion.ts";
import { StoreError } from "../interface/store-error.ts";

const sealedAtOnceMax = 16;

export interface Sealing {
  readonly seal: SealReceipt | undefined;
  readonly head: SealingHead;
  readonly engine: EngineTraits["verification"];
  readonly completedAt: number;
}

/** In the order of the deletions; none in tests without a key. Yields regularly, because sealing takes time. */
export async function sealReceipts(
  deletions: readonly Deletion[],
  { seal, head: from, engine, completedAt }: Sealing,
): Promise<readonly (SealedReceipt | undefined)[]> {
  if (seal === undefined) return deletions.map(() => undefined);
  let head = from;
  const all: SealedReceipt[] = [];
  for (const deletion of deletions) {
    if (all.length > 0 && all.length % sealedAtOnceMax === 0) await setImmediate();
    const sealed = seal({ ...deletion, completedAt }, { head, engine });
    head = headAfter(head, sealed);
    all.push(sealed);
  }
  return all;
}

/** A receipt that is in no chain leaves the head of the chain unchanged. */
export function headAfter<Head extends ReceiptHead>(head: Head, sealed: SealedReceipt): Head {
  const { receipt_no: receiptNo } = sealed.receipt;
  return receiptNo === aloneNo ? head : { ...head, receiptNo, hash: sealed.hash };
}

/** What a transaction that verifies or completes says of a deletion. */
export type Verified =
  | Exclude<Completion, { readonly result: "again" | "scanning" }>
  | { readonly result: "clean" | "large" | "moved" }
  | { readonly result: "partly"; readonly isBehind?: boolean }
  | { readonly result: "found"; readonly isPart?: boolean }
  | { readonly result: "held"; readonly waitingFor: string };

/** After this time the caller serves other deletions, and continues with those that are partly verified. */
const verificationMsMax = 1_000;

interface Verifying {
  /** Verifies some of these deletions, at least one, or a part of it. */
  readonly verify: (ids: readonly string[]) => Promise<ReadonlyMap<string, Verified>>;
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
}

/** In transactions between which others are served. Returns the results in order. */
export async function verifyInTurns(
  ids: readonly string[],
  { verify, indexParties }: Verifying,
): Promise<readonly Verified[]> {
  const results = new Map<string, Verified>();
  const until = performance.now() + verificationMsMax;
  for (let left = ids; left.length > 0; left = left.filter((id) => !results.has(id))) {
    const verified = await attempt(left, verify);
    for (const [id, result] of verified) {
      if (result.result !== "partly" || performance.now() > until) results.set(id, result);
    }
    if ([...verified.values()].some(isBehind)) await indexParties();
  }
  return ids.map((id) => results.get(id) ?? { result: "partly" });
}

/** If they fail together, each is verified alone, unless the store can't be reached: then each would wait for it. */
async function attempt(
  ids: readonly string[],
  verify: Verifying["verify"],
): Promise<ReadonlyMap<string, Verified>> {
  try {
    return await verify(ids);
  } catch (cause) {
    if (ids.length === 1 || cause instanceof AppError) {
      return new Map(ids.map((id) => [id, { result: "failed", cause }]));
    }
  }
  const each = new Map<string, Verified>();
  for (const id of ids) for (const one of await attempt([id], verify)) each.set(...one);
  return each;
}

function isBehind(result: Verified): boolean {
  return result.result === "partly" && result.isBehind === true;
}

export function toCompletion(result: Verified): Completion {
  if (result.result === "completed" || result.result === "failed") return result;
  if (result.result === "partly") return { result: "scanning" };
  if (result.result === "found") return { result: "again", isPart: result.isPart === true };
  if (result.result !== "held") return { result: "again" };
  const message = `A related record that arrived meanwhile waits for ${result.waitingFor}.`;
  return { result: "failed", cause: new StoreError(message, { isTemporary: true }) };
}
