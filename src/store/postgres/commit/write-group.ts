// Processes a group of writes in one transaction of a few multi-row statements: reads what the evaluation needs,
// evaluates, stores. Contains no SQL, and decides nothing about a draft.
//
// A group of new records is the common case, and costs the fewest statements: it is evaluated as if none of its records
// existed, and inserted at once. If that assumption is wrong, the transaction is rolled back and the group is evaluated
// again, with the stored data. On Citus, and where the server's log would name the records, this code checks the
// assumption; elsewhere a statement fails (new-records.ts). Records are locked, or inserted, in the order of their keys
// before deletions are read, so that a plan made meanwhile waits for this transaction before it erases anything.

import type { RecordWrite } from "../../../domain/record/record-write.ts";
import { namesOf } from "../../group/group-replies.ts";
import {
  type Evaluation,
  evaluateGroup,
  type GroupEvaluation,
} from "../../group/evaluate-group.ts";
import type { Database } from "../database.ts";
import { findReplies } from "../../sql/access/idempotency.ts";
import { countRows, isDivided, none, evaluateExactly, storeIfNew } from "./exact-group.ts";
import { storeNew } from "./new-records.ts";
import type { Visibility } from "../../sql/statement/visibility.ts";

/** After a wrong assumption, this many groups are evaluated with the stored data. */
const carefulGroups = 16;

export class WriteGroups {
  readonly #database: Database;
  #careful = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns an evaluation for each write, in order. Rejects if nothing was written, or if the result is not known. */
  async run(writes: readonly RecordWrite[]): Promise<readonly Evaluation[]> {
    const visibility = {
      organizations: new Set(writes.map(({ organizationId }) => organizationId)),
    };
    return (
      (await this.#guess(visibility, writes)) ??
      this.#database.transaction(visibility, (transaction) => evaluateExactly(transaction, writes))
    );
  }

  /** Stores the group as if all records were new. Undefined if that was not tried, or was wrong. */
  async #guess(
    visibility: Visibility,
    writes: readonly RecordWrite[],
  ): Promise<readonly Evaluation[] | undefined> {
    this.#careful = Math.max(0, this.#careful - 1);
    if (this.#careful > 0) return undefined;
    if (writes.some(({ mode }) => mode === "update")) return undefined;
    const names = namesOf(writes);
    const replies =
      names.length === 0
        ? []
        : await this.#database.inOneGo(visibility, (transaction) =>
            transaction.perform(findReplies, names),
          );
    const evaluated = evaluateGroup(writes, { ...none, replies });
    // A draft that is not inserted would not conflict with a record that exists already.
    const drafts = writes.reduce((count, write) => count + write.drafts.length, 0);
    if (drafts === 0 || evaluated.changes.length < drafts) return undefined;
    const group = { visibility, writes, evaluated };
    const stored = this.#mayFail(evaluated)
      ? await storeNew(this.#database, group)
      : await storeIfNew(this.#database, group);
    if (stored) return evaluated.evaluations;
    this.#careful = carefulGroups;
    return undefined;
  }

  /** Whether a statement may fail because of a record: for other roles the server's log would name its key. */
  #mayFail(evaluated: GroupEvaluation): boolean {
    const { distributed, secured } = this.#database;
    return secured && !distributed && !isDivided({ distributed }, countRows(evaluated));
  }
}
