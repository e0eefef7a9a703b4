// The latest states of all records of a type, as of one moment.

import type { App } from "../../actions/app.ts";
import {
  type ExportedType,
  readRecords,
  type ReadRecord,
} from "../../actions/record/export-records.ts";
import { canonicalPayload, isTooLarge } from "../../domain/record/payload.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import { validatePayload } from "../../domain/validation/validate.ts";

export interface ExportedState {
  readonly state: Payload;
  /** The state in canonical JSON; undefined if `changes` is present. */
  readonly text: string | undefined;
  /** The changes that result in this state, the first by POST; only if no single POST would be accepted. */
  readonly changes: readonly Payload[] | undefined;
}

/**
 * Yields the states in the order of ids. Records that are erased meanwhile may be missing. `onChanges` is called for
 * each state that has its list of changes.
 */
export async function* exportStates(
  app: App,
  exported: ExportedType,
  onChanges: () => void,
): AsyncGenerator<readonly ExportedState[]> {
  const upTo = await app.store.latestArrival();
  for await (const records of readRecords(app, { ...exported, upTo })) {
    const states = records.map((record) => describeState(exported.type, record));
    for (const { changes } of states) if (changes !== undefined) onChanges();
    yield states;
  }
}

/** Updates can result in a state that no single submission can have, such as a transaction without a sender. */
function describeState(type: RecordType, { fold, first }: ReadRecord): ExportedState {
  const state = fold.state();
  const isValid = validatePayload(type, "add", state).length === 0;
  const text = isValid ? canonicalPayload(type, state, "add") : undefined;
  if (text !== undefined && !isTooLarge(text)) return { state, text, changes: undefined };
  const sources = fold.sources().filter(({ changeNo }) => changeNo !== first.changeNo);
  const changes = [first, ...sources].map(({ payload }) => JSON.parse(payload) as Payload);
  return { state, text: undefined, changes };
}
