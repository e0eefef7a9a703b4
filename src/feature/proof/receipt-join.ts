// Compares receipts with the audit trail, in which the entry of a completed deletion has the hash of its receipt. So a
// receipt that is in no chain can neither be removed nor added without a fault. Gaps in the chain are missing receipts,
// unless a restore in the trail explains them. Works offline.

import { hash } from "node:crypto";
import { type AuditRow, cutOf } from "../../domain/audit-chain.ts";
import { aloneNo, chainedText, type Receipt } from "../../domain/deletion/receipt.ts";
import {
  describeGap,
  findGaps,
  type ReceiptVerdict,
  type RecordedRestore,
} from "../../actions/receipt/verify-receipt.ts";
import { HeadSearch } from "./heads.ts";
import {
  completenessOf,
  Faults,
  type FileVerdict,
  type Given,
  unknownOutside,
  verifyFile,
} from "./verify-file.ts";

export interface Compared extends Pick<Given, "published" | "heads"> {
  /** The exported audit trail. */
  readonly trail: AsyncIterable<Uint8Array> | undefined;
}

/** Compares all receipts of a store with its published heads and its audit trail, as far as they are there. */
export async function compareReceipts(
  verdicts: readonly ReceiptVerdict[],
  { published, heads, trail }: Compared,
): Promise<Pick<FileVerdict, "faults" | "explained" | "completeness">> {
  const faults = new Faults();
  const receipts = verdicts.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt]));
  const missingEnd = heads && findMissingEnd(receipts, new HeadSearch(heads, "receipts"));
  if (missingEnd !== undefined) faults.add(missingEnd);
  const first = receipts.find(({ receipt_no: no }) => no !== aloneNo)?.receipt_no;
  const { until, notExamined } = completenessOf("receipts", { heads, manifest: undefined, first });
  const join = trail && new ReceiptJoin();
  if (trail !== undefined) {
    const onEntry = (row: AuditRow) => join?.addEntry(row);
    const verdict = await verifyFile(trail, { published, heads, kind: "audit", onEntry });
    faults.add(...verdict.faults.map((fault) => `The trail: ${fault}`));
  }
  const gaps = findGaps(verdicts).map((gap) => describeGap(gap, join?.restores));
  faults.add(...gaps.filter(({ isExplained }) => !isExplained).map(({ text }) => text));
  faults.add(...(join?.compare(receipts) ?? []));
  const examined = notExamined.filter((what) => join?.isWhole !== true || what !== unknownOutside);
  return {
    faults: faults.list(),
    explained: gaps.filter(({ isExplained }) => isExplained).map(({ text }) => text),
    completeness: { until, notExamined: examined },
  };
}

function findMissingEnd(receipts: readonly Receipt[], search: HeadSearch): string | undefined {
  for (const receipt of receipts) search.addReceipt(receipt);
  return search.fault();
}

interface Completion {
  readonly entryNo: number;
  readonly deletionRequestId: string;
}

/** Has an entry in memory for each deletion of the trail. */
class ReceiptJoin {
  readonly restores: RecordedRestore[] = [];
  readonly #completions = new Map<string, Completion>();
  #firstNo = 0;
  #lastAt = 0;

  addEntry(row: AuditRow): void {
    const { entry_no: entryNo, at, action, subject, detail } = row;
    const restore = cutOf(row);
    if (restore !== undefined) this.restores.push(restore);
    if (this.#firstNo === 0) this.#firstNo = entryNo;
    this.#lastAt = at;
    if (action !== "deletion.complete") return;
    const { receiptHash } = JSON.parse(detail) as { readonly receiptHash?: unknown };
    if (typeof receiptHash !== "string") return;
    this.#completions.set(receiptHash, { entryNo, deletionRequestId: subject });
  }

  /** Whether it has the beginning; a missing end is a fault if heads are there to compare. */
  get isWhole(): boolean {
    return this.#firstNo === 1;
  }

  *compare(receipts: readonly Receipt[]): Generator<string> {
    for (const receipt of receipts) {
      const isNamed = this.#completions.delete(hash("sha256", chainedText(receipt)));
      if (isNamed || !this.#covers(receipt)) continue;
      yield `The receipt of ${receipt.deletion_request_id} has no entry in the trail: it was changed or added.`;
    }
    for (const { entryNo, deletionRequestId } of this.#completions.values()) {
      yield `The receipt of ${deletionRequestId} is missing, which entry ${entryNo} of the trail names.`;
    }
  }

  /** A trail that was exported before the receipts ends before the last ones. */
  #covers({ completed_at: at }: Receipt): boolean {
    return this.isWhole && Date.parse(at) <= this.#lastAt;
  }
}
