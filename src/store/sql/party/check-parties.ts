// Compares the index of parties with the changes, for `check`: of up to so many blocks, which are chosen at random, the
// entries that their changes should have with those that are stored. Changes nothing.

import { randomInt } from "node:crypto";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import { blockNumbers, blockOf, hashParty, readEntries } from "../../shared/party-entries.ts";
import { all, Rows, type Statements, column } from "../statement/statements.ts";
import { type PlacedEntry, readPartyState } from "./entries.ts";
import { readNumbered } from "./find-namings.ts";
import { listOwners, readDue } from "./index-parties.ts";
import { partiesIn } from "./named-parties.ts";
import { formatCount } from "../../../basics/format-count.ts";
import { sluice } from "../../../basics/program-name.ts";

const blocksMax = 64;

const findRows = `
  SELECT organization_id, block_no, entries FROM party_block
  WHERE
    --sqlite block_no IN (SELECT value ->> 0 FROM json_each($1))
    --postgres block_no = ANY ($1::bigint[])
    `;

/** Organizations that are being erased, and those in which a step has ended within a record. */
const findUnsettled = `
  SELECT DISTINCT organization_id FROM deletion
  WHERE status = 'processing' AND (resource_type = '${organizationType}' OR cursor IS NOT NULL)`;

interface Row {
  readonly organization_id: string;
  readonly block_no: number;
  readonly entries: Uint8Array;
}

/** Returns the findings. Must see one state of the store. */
export function* checkParties(): Statements<readonly string[]> {
  const { key, indexedNo } = yield* readPartyState();
  const blocks = chooseBlocks(Math.max(0, blockOf(indexedNo) + 1));
  const unsettled = new Set(yield* column<string>(findUnsettled));
  const owners = (yield* listOwners()).filter((id) => !unsettled.has(id));
  const numbers = blocks.map((block) => [block]);
  const values = new Rows(numbers, 1);
  const rows = Map.groupBy(yield* all<Row>(findRows, values), ({ block_no }) => block_no);
  const findings: string[] = [];
  for (const block of blocks) {
    const from = block * blockNumbers;
    const to = Math.min(from + blockNumbers, indexedNo);
    const stored = new Map<string, PlacedEntry>();
    for (const { organization_id: organizationId, entries } of rows.get(block) ?? []) {
      if (unsettled.has(organizationId)) continue;
      for (const entry of readEntries(entries, block)) {
        const placed = { ...entry, bucket: 0, organizationId };
        stored.set(textOf(placed), placed);
      }
    }
    const due = yield* readDue({ key, owners, from, to });
    const missing = new Set(due.map(textOf)).difference(stored);
    for (const entry of due) stored.delete(textOf(entry));
    yield* removeTrue(stored, key);
    const range = `of the changes ${from + 1} to ${to}`;
    const again = `\`${sluice} subject index\` builds it again.`;
    if (missing.size > 0)
      findings.push(
        `The index of parties lacks ${formatCount(missing.size, "entry")} ${range}; ${again}`,
      );
    if (stored.size > 0)
      findings.push(
        `The index of parties has ${formatCount(stored.size, "wrong entry")} ${range}; ${again}`,
      );
  }
  return findings;
}

function chooseBlocks(count: number): readonly number[] {
  const chosen = Array.from({ length: blocksMax }, (_, at) =>
    count > blocksMax ? randomInt(count) : at,
  );
  return [...new Set(chosen)].filter((block) => block < count);
}

/** Removes the entries of later changes that need none, because their record is found without, but are not wrong. */
function* removeTrue(stored: Map<string, PlacedEntry>, key: string): Statements<void> {
  const others = Map.groupBy(stored.values(), ({ organizationId }) => organizationId);
  for (const [organizationId, entries] of others) {
    const numbers = [...new Set(entries.map(({ changeNo }) => changeNo))];
    for (const type of namingTypes) {
      for (const row of yield* readNumbered(type, organizationId, numbers)) {
        for (const party of partiesIn(row)) {
          const { rest } = hashParty(key, organizationId, party);
          stored.delete(textOf({ organizationId, changeNo: row.change_no, rest }));
        }
      }
    }
  }
}

function textOf({ organizationId, changeNo, rest }: Omit<PlacedEntry, "bucket">): string {
  return `${organizationId} ${changeNo} ${rest}`;
}
