// The latest states of all records of a type, as of one moment, and which records and changes an export selects.

import type { App } from "../../actions/app.ts";
import {
  type ExportedType,
  readRecords,
  type ReadRecord,
} from "../../actions/record/export-records.ts";
import { canonicalPayload, isTooLarge, timestampOf } from "../../domain/record/payload.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { NormalisedTimestamp } from "../../domain/timestamp.ts";
import { validatePayload } from "../../domain/validation/validate.ts";

export interface ExportRequest extends ExportedType {
  /** Selects by the business time of the latest state, or of each change: at or after `from`, and before `to`. */
  readonly from?: NormalisedTimestamp | undefined;
  readonly to?: NormalisedTimestamp | undefined;
  /** Selects by the latest state of the record. */
  readonly test: "include" | "exclude" | "only";
}

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
  request: ExportRequest,
  onChanges: () => void,
): AsyncGenerator<readonly ExportedState[]> {
  const { ofRecords, ofChanges } = selectionOf(request);
  const upTo = await app.store.latestArrival();
  for await (const records of readRecords(app, { ...request, upTo })) {
    const states = records
      .map((record) => describeState(request.type, record))
      .filter(({ state }) => ofRecords(state) && ofChanges(state));
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

const testFlags: ReadonlySet<string> = new Set(["is_test", "is_test_user", "is_test_company"]);

export function testFlagOf(type: RecordType): string | undefined {
  return type.fieldNames.find((name) => testFlags.has(name));
}

export function selectionOf({ type, test, from = "", to }: ExportRequest) {
  const flag = testFlagOf(type);
  const isTest = (state: Payload) => flag !== undefined && state[flag] === true;
  return {
    ofRecords: (state: Payload) => test === "include" || isTest(state) === (test === "only"),
    ofChanges: (payload: Payload) => {
      const at = timestampOf(payload) ?? "";
      return at >= from && (to === undefined || at < to);
    },
  };
}
