// Reads a part of the history of a record for people: which fields each change changed. Returns no values unless the
// person has revealed the content with a reason (view-record.ts).

import {
  mergeChanges,
  type ChangeEffect,
  findEffects,
  isContentField,
  brokenRules,
} from "../../domain/record/merge.ts";
import type { Payload } from "../../domain/record-type.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { findType } from "./find-named-record.ts";

/** Undefined: the field has no value. */
export interface FieldValues {
  readonly before: unknown;
  readonly after: unknown;
}

export interface ShownField {
  readonly field: string;
  readonly effect: "set" | "changed" | "cleared";
  /** Present only if the content was revealed. */
  readonly values?: FieldValues;
}

export interface ShownChange extends Omit<ChangeEffect, "fields"> {
  readonly fields: readonly ShownField[];
}

export interface ShownState {
  readonly fields: readonly { readonly field: string; readonly value?: unknown }[];
  /** Sentences. */
  readonly brokenRules: readonly string[];
}

export interface ShownHistory {
  /** The latest first. */
  readonly changes: readonly ShownChange[];
  /** The place where the earlier part ends, for those who may not know how many changes others have. */
  readonly before: string | undefined;
  /** Undefined unless the page has all changes: a longer history is not read to its beginning. */
  readonly state: ShownState | undefined;
  /** False if values are compared only with some of the earlier changes, because the history is long. */
  readonly isExact: boolean;
  readonly isRevealed: boolean;
}

export interface HistoryQuery {
  /** A place that an earlier part has returned; undefined for the latest part. */
  readonly before: string | undefined;
  readonly isRevealed: boolean;
}

const changesShownMax = 10;
/** Earlier changes that are read for the comparison, but are not shown. */
const changesComparedMax = 90;
const limit = changesShownMax + changesComparedMax + 1;

/** True if these are all changes of the record: the part is the latest, and there are no earlier changes. */
export interface ReadHistory extends ShownHistory {
  readonly all: readonly Change[] | undefined;
}

/**
 * The caller has checked that this person may find the record, or read its content. Throws OperatorError invalid for
 * another place, and AppError offset_gone for one that a restore has lost.
 */
export async function readHistory(
  app: App,
  key: RecordKey,
  { before, isRevealed }: HistoryQuery,
): Promise<ReadHistory> {
  const type = findType(key.resourceType);
  const places = await app.offsets();
  const place = before === undefined ? undefined : places.decode(key.organizationId, before);
  if (before !== undefined && place === undefined) throw noSuchPlace();
  const part = { ...key, before: place?.changeNo, limit };
  const read = await app.store.overview.readHistoryPart(part);
  const isExact = read.length < limit;
  const shown = read.slice(0, changesShownMax).toReversed();
  const earlier = read.slice(changesShownMax, limit - 1).toReversed();
  const effects = findEffects(type, shown, earlier);
  const all = isExact && before === undefined ? [...earlier, ...shown] : undefined;
  const state = all && mergeChanges(type, all);
  const [first] = earlier.length > 0 ? shown : [];
  return {
    changes: effects.toReversed().map((effect) => ({
      ...effect,
      fields: effect.fields.map((one) => showField(one, isRevealed)),
    })),
    before: first && places.encode(key.organizationId, { ...start, changeNo: first.changeNo }),
    state: state && {
      fields: Object.entries(state)
        .filter(([field]) => isContentField(type, field))
        .map(([field, value]) => (isRevealed ? { field, value } : { field })),
      brokenRules: isRevealed ? brokenRules(type, state) : [],
    },
    isExact,
    isRevealed,
    all,
  };
}

const start = { at: 0, following: 0 };

/** Undefined for a history that is not read to its beginning. The caller has checked that it may read the content. */
export async function readState({ store }: App, key: RecordKey): Promise<Payload | undefined> {
  const changes = await store.overview.readHistoryPart({ ...key, before: undefined, limit });
  if (changes.length === limit) return undefined;
  return mergeChanges(findType(key.resourceType), changes.toReversed());
}

function noSuchPlace(): OperatorError {
  return new OperatorError(
    "invalid",
    "There are no changes before this place. Begin at the latest.",
  );
}

function showField(
  { field, before, after }: FieldValues & { readonly field: string },
  isRevealed: boolean,
): ShownField {
  const effect = before === undefined ? "set" : after === undefined ? "cleared" : "changed";
  return isRevealed ? { field, effect, values: { before, after } } : { field, effect };
}
