// Checks the signed heads in the ledger: each is genuine, is where it was written, and is a link of the store's chains.
// Links that a restore has removed may be missing if both the ledger and the store record that restore.

import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import {
  type ChainHead,
  type HeadsEntry,
  headsToSign,
  type RestoreEntry,
} from "../../domain/deletion/ledger-entry.ts";
import type { App } from "../app.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { findSignatureFaults } from "../receipt/verify-receipt.ts";
import { AuditLinks } from "../ledger/audit-links.ts";
import { restoreOf } from "../ledger/keep-ledger.ts";
import type { Findings } from "./findings.ts";

export type HeadsCheck = Awaited<ReturnType<typeof makeHeadsCheck>>;

export async function makeHeadsCheck(app: App, findings: Findings) {
  const published = await publishReceiptKeys(app);
  const links = new AuditLinks(app);
  /** The restores that the store has to contain, without those that a later restore has removed. */
  let restores: RestoreEntry[] = [];
  /** Heads that are not in the store, without those that a later restore has cut off. */
  let missing: ChainHead[] = [];
  let count = 0;
  let first: HeadsEntry | undefined;
  let last: HeadsEntry | undefined;
  return {
    /** `before`: the digest of the previous frame. */
    addHeads: async (heads: HeadsEntry, before: string | undefined): Promise<void> => {
      const what = `The entry of ${timeOf(heads)} with the heads in the ledger`;
      const signed = { ...heads, text: canonicalJson(headsToSign(heads)) };
      findings.add(...findSignatureFaults(what, signed, published));
      if (before !== undefined && heads.ledger !== before) {
        findings.add(`${what} was written for another position.`);
      }
      const { audit } = heads;
      if (audit.no > 0 && (await links.hashOf(audit.no)) !== audit.hash) missing.push(audit);
      count += 1;
      first ??= heads;
      last = heads;
    },

    addRestore: (restore: RestoreEntry): void => {
      const { audit, shared } = restore;
      const isKnown = last === undefined || reaches(audit.known, last.audit);
      if (isKnown) restores = restores.filter(({ entry }) => entry.no <= shared.no);
      restores.push(restore);
      // The restored store has other entries with the same numbers, or none.
      const wasCut = ({ no }: ChainHead) => isKnown && no > shared.no;
      missing = missing.filter((head) => !wasCut(head));
    },

    /** `stored`: the entries of restores in the audit trail. */
    end: (
      stored: readonly AuditEntry[],
    ): { readonly last: HeadsEntry | undefined; count: number } => {
      const [head] = missing;
      if (head !== undefined) {
        findings.add(
          `Audit entry ${head.no} is not the one that was signed in the ledger: the trail was cut or rewritten.`,
        );
      }
      for (const restore of restores) {
        if (stored.some((entry) => isSame(entry, restore))) continue;
        findings.add(
          `The restore of ${timeOf(restore)} is in the ledger, but not in the audit trail.`,
        );
      }
      const firstNo = first?.audit.no ?? Number.POSITIVE_INFINITY;
      for (const entry of stored) {
        // A ledger that was created later does not know it.
        if (entry.entryNo < firstNo) continue;
        if (restores.some((restore) => isSame(entry, restore) || isBefore(entry, restore)))
          continue;
        findings.add(`The restore in audit entry ${entry.entryNo} is not in the ledger.`);
      }
      return { last, count };
    },
  };
}

/** The ledger with which another host replayed can have reached further. */
function reaches(known: ChainHead, last: ChainHead): boolean {
  return last.no < known.no || isDeepStrictEqual(known, last);
}

function isSame(stored: AuditEntry, restore: RestoreEntry): boolean {
  const { at, by } = restore;
  return isDeepStrictEqual({ ...restoreOf(stored), at, by }, restore);
}

/** Whether the backup already contained the entry, and this ledger did not know it. */
function isBefore({ entryNo }: AuditEntry, { audit, shared }: RestoreEntry): boolean {
  return entryNo > shared.no && entryNo <= audit.restored.no;
}

function timeOf({ at }: { readonly at: number }): string {
  return new Date(at).toISOString();
}
