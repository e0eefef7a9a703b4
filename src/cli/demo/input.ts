// What the demonstration sends: transactions and risk assessments, from CSV files in the columns of IBM's AMLSim, or
// generated from a seed, so that a run can be repeated.

import { findType } from "../../actions/find-target.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { openRows } from "../../bulk/formats/open-rows.ts";
import { openText } from "../../bulk/formats/text-input.ts";
import { makeRowMapper } from "../../bulk/import/map-row.ts";
import { type Mapping, readMapItems } from "../../bulk/import/mapping.ts";
import type { Payload } from "../../domain/record-type.ts";

const transactionMapping: Mapping = new Map(
  readMapItems(
    "tx_id=~tx-{#},type==DEPOSIT,method==INTERNAL_TRANSFER,amount=value,currency==USD,status==CREATED," +
      "sender_id=~person-{sourceNodeId},sender_country==US,receiver_id=~person-{targetNodeId},receiver_country==US," +
      "timestamp=time@days:2025-01-01",
  ),
);

const accountMapping: Mapping = new Map([
  ...readMapItems(
    "assessment_id=~assessment-{nodeid},type==account risk band,related_person_id=~person-{nodeid}," +
      "timestamp==2025-01-01T00:00:00Z",
  ),
  ["outcome", { column: "isFraud", values: { 1: "HIGH", true: "HIGH" }, otherwise: "LOW" }],
  ["additional_properties.init_balance", { column: "init_balance", type: "NUMBER" }],
]);

/** At most `rowsMax` of them. */
export function readTransactions(file: string, rowsMax: number): Promise<AsyncIterable<Payload>> {
  return readCsv(file, "transaction", { mapping: transactionMapping, rowsMax });
}

export function readAccounts(file: string): Promise<AsyncIterable<Payload>> {
  return readCsv(file, "risk_assessment", { mapping: accountMapping, rowsMax: Infinity });
}

/** Throws OperatorError where the file can't be opened or lacks a column; while it is read, where a row can't be. */
async function readCsv(
  file: string,
  typeName: string,
  { mapping, rowsMax }: { readonly mapping: Mapping; readonly rowsMax: number },
): Promise<AsyncIterable<Payload>> {
  const type = findType(typeName);
  const input = await openRows(openText(file), { type, format: "csv", delimiter: undefined });
  const mapper = makeRowMapper(input, { type, mapping, update: false });
  return (async function* () {
    for await (const row of input.rows()) {
      const mapped = mapper.map(row);
      if ("fieldErrors" in mapped) {
        const why = mapped.fieldErrors.map(({ field = "", message = "" }) =>
          `${field} ${message}`.trim(),
        );
        throw new OperatorError("input", `${file}, row ${row.number}: ${why.join("; ")}.`);
      }
      for (const { payload } of mapped.submissions) yield payload;
      if (row.number >= rowsMax) return;
    }
  })();
}

const start = Date.UTC(2026, 0, 1);
const spanMs = 90 * 86_400_000;
const methods = ["ACH", "CARD", "WIRE", "FEDNOW", "RTP"];

export function* generateTransactions(count: number, seed: number): Generator<Payload> {
  const random = makeRandom(seed);
  for (let index = 0; index < count; index += 1) {
    const [type, side] = pick(
      [
        ["WITHDRAWAL", "sender"],
        ["DEPOSIT", "receiver"],
      ],
      random,
    );
    yield {
      tx_id: `tx-${index + 1}`,
      type,
      method: pick(methods, random),
      // Many small amounts and few large ones.
      amount: Number(Math.exp(2 + 6 * random() * random()).toFixed(2)),
      currency: "USD",
      status: "CREATED",
      [`${side}_id`]: `person-${1 + Math.floor(random() * peopleOf(count))}`,
      [`${side}_country`]: "US",
      timestamp: new Date(start + Math.floor((spanMs * index) / count)).toISOString(),
    };
  }
}

/** One for each person who may be in the transactions. */
export function* generateAssessments(count: number, seed: number): Generator<Payload> {
  const random = makeRandom(seed + 1);
  for (let number = 1; number <= peopleOf(count); number += 1) {
    yield {
      assessment_id: `assessment-${number}`,
      type: "onboarding risk band",
      outcome: pick(["LOW", "LOW", "LOW", "MEDIUM", "HIGH"], random),
      related_person_id: `person-${number}`,
      timestamp: new Date(start).toISOString(),
    };
  }
}

function peopleOf(count: number): number {
  return Math.max(10, Math.ceil(count / 10));
}

/** A linear congruential generator (Numerical Recipes), from 0 up to but not including 1. Never for secrets. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
