// Checks the signed heads in the ledger: each is genuine, is where it was written, and is a link of the store's chains.
// Links that a restore has removed may be missing if both the ledger and the store record that restore.

import { type KeyObject, verify } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { headsToSign } from "../../domain/deletion/ledger-codec.ts";
import type { ChainHead, HeadsEntry, RestoreEntry } from "../../domain/deletion/ledger-entry.ts";
import type { App } from "../app.ts";
import { thumbprint, toPublicKey } from "../receipt/issue-receipt.ts";
import { AuditLinks } from "../ledger/audit-links.ts";
import type { Findings } from "./findings.ts";

export class HeadsCheck {
  count = 0;
  readonly #findings: Findings;
  readonly #storeId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #links: AuditLinks;
  /** The restores that the store has to have, without those that a later restore has removed from it. */
  #restores: RestoreEntry[] = [];
  /** Heads since the last restore that are not in the store. */
  #missing: ChainHead[] = [];
  #first: HeadsEntry | undefined;
  #last: HeadsEntry | undefined;

  static async make(app: App, findings: Findings): Promise<HeadsCheck> {
    const { storeId } = await app.store.receiptHead();
    const keys = await app.store.listReceiptKeys();
    const genuine = keys.filter(({ keyId, publicKey }) => thumbprint(publicKey) === keyId);
    const named = genuine.map(({ keyId, publicKey }) => [keyId, toPublicKey(publicKey)] as const);
    return new HeadsCheck(app, findings, { storeId, keys: new Map(named) });
  }

  private constructor(
    app: App,
    findings: Findings,
    known: { readonly storeId: string; readonly keys: ReadonlyMap<string, KeyObject> },
  ) {
    this.#findings = findings;
    this.#storeId = known.storeId;
    this.#keys = known.keys;
    this.#links = new AuditLinks(app);
  }

  /** `before`: the digest of the previous frame. */
  async addHeads(heads: HeadsEntry, before: string | undefined): Promise<void> {
    const fault = this.#findFault(heads, before);
    if (fault !== undefined) {
      this.#findings.add(`The heads in the ledger of ${timeOf(heads)} ${fault}.`);
    }
    const { audit } = heads;
    if (audit.no > 0 && (await this.#links.hashOf(audit.no)) !== audit.hash) {
      this.#missing.push(audit);
    }
    this.count += 1;
    this.#first ??= heads;
    this.#last = heads;
  }

  addRestore(restore: RestoreEntry): void {
    const { audit, shared } = restore;
    const isKnown = isDeepStrictEqual(audit.known, this.#last?.audit) || this.#last === undefined;
    if (isKnown) this.#restores = this.#restores.filter(({ entry }) => entry.no <= shared.no);
    this.#restores.push(restore);
    // The restored store has other entries with the same numbers, or none.
    const wasCut = ({ no }: ChainHead) => isKnown && no > shared.no;
    this.#missing = this.#missing.filter((head) => !wasCut(head));
    this.#report();
  }

  /** Returns the last heads. `restores`: the entries of restores in the audit trail. */
  end(restores: readonly AuditEntry[]): HeadsEntry | undefined {
    this.#report();
    for (const restore of this.#restores) {
      if (restores.some((entry) => isSame(entry, restore))) continue;
      this.#findings.add(
        `The restore of ${timeOf(restore)} is in the ledger, and not in the audit trail.`,
      );
    }
    const firstNo = this.#first?.audit.no ?? Number.POSITIVE_INFINITY;
    for (const entry of restores) {
      // A ledger that was created later does not know it.
      if (entry.entryNo < firstNo) continue;
      if (this.#restores.some((restore) => isSame(entry, restore) || isBefore(entry, restore)))
        continue;
      this.#findings.add(`The restore in audit entry ${entry.entryNo} is not in the ledger.`);
    }
    return this.#last;
  }

  #report(): void {
    const [first] = this.#missing;
    if (first !== undefined) {
      this.#findings.add(
        `Audit entry ${first.no} is not the one that was signed in the ledger: the trail was cut or rewritten.`,
      );
    }
    this.#missing = [];
  }

  #findFault(heads: HeadsEntry, before: string | undefined): string | undefined {
    if (heads.storeId !== this.#storeId) return `are of another store, ${heads.storeId}`;
    if (before !== undefined && heads.ledger !== before) return "were written for another position";
    const key = this.#keys.get(heads.keyId);
    if (key === undefined) return `are signed with the key ${heads.keyId}, which is unknown`;
    const text = Buffer.from(canonicalJson(headsToSign(heads)));
    const isGenuine = verify(null, text, key, Buffer.from(heads.signature, "base64url"));
    return isGenuine ? undefined : "have an invalid signature";
  }
}

function isSame({ entryNo, hash, detail }: AuditEntry, restore: RestoreEntry): boolean {
  const { entry, audit, receipts, shared } = restore;
  return (
    entryNo === entry.no &&
    hash === entry.hash &&
    isDeepStrictEqual(detail["audit"], audit) &&
    isDeepStrictEqual(detail["receipts"], receipts) &&
    isDeepStrictEqual(detail["shared"], shared)
  );
}

/** Whether the backup had the entry already, and this ledger did not know of it. */
function isBefore({ entryNo }: AuditEntry, { audit, shared }: RestoreEntry): boolean {
  return entryNo > shared.no && entryNo <= audit.restored.no;
}

function timeOf({ at }: { readonly at: number }): string {
  return new Date(at).toISOString();
}
