// Verifies that references were redacted: searches the payloads themselves, not the relations that the redaction used.
// One transaction searches a bounded part; what it has verified is removed from the plans, and the cursor of a deletion
// is where it continues within a record with many changes.

import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { redactPayload } from "../../shared/redact-payload.ts";
import { rowKeyText, toKey, keyValues } from "../../shared/record-key.ts";
import { storeVerified } from "../plan/claim.ts";
import { placesOf, type PlanPart, removeTargets, type TargetRow } from "../plan/erasure.ts";
import {
  among,
  inNamedIds,
  joinChanges,
  joinTargets,
  named,
  sameAsNamed,
} from "../statement/named.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { measureShortRecords, readChangesAfter, ReadBudget, type Size } from "../record/changes.ts";
import type { Unverified } from "../erase/redact-kept.ts";

const readCursors = `
  SELECT deletion_request_id AS id, cursor FROM deletion
  WHERE ${inNamedIds("deletion_request_id")} AND cursor IS NOT NULL`;

const place = ["deletion_request_id", "position bigint"];

/** Selects records with few changes. */
const findSuspects = `
  SELECT deletion_request_id, position, named.resource_type, to_type, to_id, payload
  FROM ${named("organization_id", "resource_type", "resource_id", "id", "place bigint")}
    ${joinTargets} ${joinChanges}
  WHERE ${sameAsNamed("target", ["deletion_request_id", "position"], ["id", "place"])}
    --sqlite AND instr(payload, json_quote(to_id)) > 0
    --postgres AND strpos(payload, to_json(to_id)::text) > 0
    --citus AND change.resource_id = ANY ($3::text[]) AND change.resource_id = target.resource_id
  `;

const doAgain = `UPDATE deletion_target SET done = false ${among("FROM", "deletion_target", place)}`;

/** The empty text differs from every id. */
const anyPseudonym = "";

interface Suspect {
  readonly deletion_request_id: string;
  readonly position: number;
  readonly resource_type: string;
  readonly to_type: string | null;
  readonly to_id: string | null;
  readonly payload: string;
}

/** Within a record with many changes. */
interface Cursor {
  /** The target that is being verified. */
  readonly position: number;
  /** The last change that was searched. */
  readonly after: number;
}

/** A deletion that is missing in the result has no reference left in this part of its plan. */
export function* verifyRedactions(
  parts: readonly PlanPart[],
  now: number,
): Statements<ReadonlyMap<string, Unverified>> {
  const redactions = parts.map((part) => ({ ...part, targets: part.targets.filter(isRedaction) }));
  const targets = redactions.flatMap((part) => part.targets);
  if (targets.length === 0) return new Map();
  const search = new Search(yield* measureShortRecords(targets.map(toKey)), now);
  const ids = parts.map(({ deletion }) => deletion.deletionRequestId);
  const rows = yield* all<{ id: string; cursor: string }>(readCursors, ids);
  const cursors = new Map(rows.map(({ id, cursor }) => [id, JSON.parse(cursor) as Cursor]));
  for (const part of redactions) {
    yield* search.add(part, cursors.get(part.deletion.deletionRequestId));
  }
  return yield* search.end();
}

function isRedaction({ action, restricted }: TargetRow): boolean {
  return action === "redact" && !restricted;
}

class Search {
  readonly #results = new Map<string, Unverified>();
  readonly #short: ReadonlyMap<string, Size>;
  /** Targets in records with few changes, which are searched together. */
  readonly #together: TargetRow[] = [];
  readonly #verified: TargetRow[] = [];
  /** Confidential records never affect the number of parts of other records. */
  readonly #budgets = { open: new ReadBudget(), confidential: new ReadBudget() };

  readonly #now: number;

  constructor(short: ReadonlyMap<string, Size>, now: number) {
    this.#short = short;
    this.#now = now;
  }

  *add(
    { deletion, targets, isConfidential }: PlanPart,
    cursor: Cursor | undefined,
  ): Statements<void> {
    const { deletionRequestId: id } = deletion;
    let next: Cursor | undefined;
    for (const target of targets) {
      const { position } = target;
      const budget = this.#budgets[isConfidential(target) ? "confidential" : "open"];
      const size = this.#short.get(rowKeyText(target));
      if (size === undefined) {
        const after = cursor?.position === position ? cursor.after : 0;
        next = yield* this.#searchLong(target, after, budget);
      } else if (budget.take(size)) this.#together.push(target);
      else this.#results.set(id, "partly");
      if (this.#results.has(id)) break;
    }
    if (cursor !== undefined || next !== undefined) {
      yield* storeVerified(deletion, next, this.#now);
    }
  }

  *#searchLong(
    target: TargetRow,
    from: number,
    budget: ReadBudget,
  ): Statements<Cursor | undefined> {
    const { deletion_request_id: id, position } = target;
    const { changes, isLast } = yield* readChangesAfter(toKey(target), from, budget);
    if (changes.some(({ payload }) => isLeft({ ...target, payload }))) {
      yield* run(doAgain, placesOf([target]));
      this.#results.set(id, "found");
      return undefined;
    }
    if (isLast) {
      this.#verified.push(target);
      return undefined;
    }
    this.#results.set(id, "partly");
    return { position, after: changes.at(-1)?.change_no ?? from };
  }

  *end(): Statements<ReadonlyMap<string, Unverified>> {
    const keys = this.#together.map((row) => {
      return [...keyValues(toKey(row)), row.deletion_request_id, row.position];
    });
    const left = (yield* all<Suspect>(findSuspects, new Rows(keys, 5))).filter(isLeft);
    if (left.length > 0) yield* run(doAgain, placesOf(left));
    for (const row of left) this.#results.set(row.deletion_request_id, "found");
    // Nothing is searched twice if there is more to search.
    const isPart = (row: TargetRow) => this.#results.get(row.deletion_request_id) === "partly";
    const verified = [...this.#verified, ...this.#together.filter(isPart)];
    if (verified.length > 0) yield* removeTargets(verified);
    return this.#results;
  }
}

/** The id may be in a field that is not a reference. */
function isLeft({ resource_type, to_type, to_id, payload }: Suspect): boolean {
  if (to_type === null || to_id === null || !payload.includes(JSON.stringify(to_id))) return false;
  const erased = new Map([[nodeKey(to_type, to_id), anyPseudonym]]);
  return redactPayload(resource_type, payload, erased) !== payload;
}
