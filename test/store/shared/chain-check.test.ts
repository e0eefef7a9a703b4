// The chain of receipts with a gap that a restore has left.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import type { ChainCut } from "../../../src/domain/deletion/ledger-entry.ts";
import { chainedText } from "../../../src/domain/deletion/receipt.ts";
import { ReceiptChainCheck } from "../../../src/store/shared/chain-check.ts";
import type { ReceiptRow } from "../../../src/store/row/deletion-row.ts";
import { makeChain } from "../../receipt/scene.ts";

const makeRows = (): readonly ReceiptRow[] =>
  makeChain(3).receipts.map((receipt) => {
    const document = chainedText(receipt);
    return {
      receipt_no: receipt.receipt_no,
      deletion_request_id: receipt.deletion_request_id,
      organization_id: receipt.organization_id,
      document,
      hash: hash("sha256", document),
    };
  });
const rows = makeRows();
const [one, two, three] = rows;
const links = rows.map((row) => ({ no: row.receipt_no, hash: row.hash }));
const wrong = "f".repeat(64);

function check(cut: ChainCut, chain: readonly (ReceiptRow | undefined)[]): string | undefined {
  return new ReceiptChainCheck([cut]).add(chain.filter((row) => row !== undefined));
}

describe("the chain of receipts", () => {
  const [restored, known] = links;
  assert.ok(restored && known);

  it("may lack the receipts that a restore has removed", () => {
    assert.equal(check({ restored, known }, [one, three]), undefined);
  });

  it("may not lack others", () => {
    const missing = "Receipts are missing between 1 and 3.";
    const cuts: readonly ChainCut[] = [
      { restored: { ...restored, hash: wrong }, known },
      { restored: { ...restored, no: 0 }, known },
      { restored, known: { ...known, hash: wrong } },
      { restored, known: { ...known, no: 3 } },
    ];
    for (const cut of cuts) assert.equal(check(cut, [one, three]), missing, JSON.stringify(cut));
  });

  it("has to be unaltered and in order, whatever was restored", () => {
    assert.equal(check({ restored, known }, [one, two, three]), undefined);
    assert.match(check({ restored, known }, [one, two, one]) ?? "", /Receipts are missing/);
    const [, ofAnotherChain] = makeRows();
    const fault = "Receipt 2 does not follow from the one before.";
    assert.equal(check({ restored, known }, [one, ofAnotherChain]), fault);
    const altered = two === undefined ? undefined : { ...two, organization_id: "other" };
    assert.equal(check({ restored, known }, [one, altered]), "Receipt 2 was altered.");
  });
});
