// What retention would delete, for people who read it in the console, a part at a time. Contains no trace of
// confidential types for somebody who may not know of them.

import { setImmediate } from "node:timers/promises";
import { recordTypes } from "../../domain/record-types.ts";
import type { Ceiling } from "../../domain/retention/ceiling.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { ExpiryTally, readCeilings, scanPart, tallyPart } from "./apply-retention.ts";
import { requireRetainDays } from "../access/change-organization.ts";
import { readKnownTypes } from "../record/find-records.ts";
import { findOrganization } from "../access/find-organization.ts";
import { requireRight } from "../operator/viewer.ts";

export interface PreviewQuery {
  readonly organizationId: string;
  /** A number to try instead of the ceiling of the organization. */
  readonly retainDays?: number | undefined;
  /** Other ceilings than those of the organization. */
  readonly ceilings?: readonly Ceiling[];
  /** The last record that was examined; undefined at the beginning. */
  readonly after: Omit<RecordKey, "organizationId"> | undefined;
  /** A time in the future; now if undefined. */
  readonly at?: number | undefined;
}

export interface PreviewPart {
  /** Empty if records are kept until a deletion is requested. */
  readonly ceilings: readonly Ceiling[];
  readonly tally: ExpiryTally;
  /** The last record that was examined; undefined at the end. */
  readonly last: RecordKey | undefined;
  /** The types that this person may know of. */
  readonly types: readonly string[];
}

/**
 * How many steps one part has, between which other requests are served, and how many records each step reads. Each type
 * needs at least one step.
 */
const stepsMax = 2 * recordTypes.length;
const examinedAtOnce = 250;

/**
 * What retention would delete now, among the next records in the order of type and id. Throws OperatorError
 * not_permitted, invalid and no_such_organization.
 */
export async function previewPart(app: App, query: PreviewQuery): Promise<PreviewPart> {
  requireRight(app, "retention.read");
  const { organizationId, after } = query;
  const stored = await findOrganization(app, organizationId);
  const { retainDays = stored.retainDays } = query;
  if (retainDays !== undefined) requireRetainDays(retainDays);
  const tally = new ExpiryTally();
  const types = (await readKnownTypes(app, organizationId)).map((type) => type.resourceType);
  const all = query.ceilings ?? (await readCeilings(app, { organizationId, retainDays }));
  const ceilings = all.filter(({ resourceType }) => types.includes(resourceType));
  if (ceilings.length === 0) return { ceilings, tally, types, last: undefined };
  const left = types.filter((type) => type >= (after?.resourceType ?? "")).sort();
  const first = left[0] ?? "";
  let last: RecordKey | undefined = {
    organizationId,
    resourceType: first,
    resourceId: after?.resourceType === first ? after.resourceId : "",
  };
  for (let steps = 0; steps < stepsMax && last !== undefined; steps += 1) {
    last = await previewStep(app, ceilings, { tally, after: last, left, at: query.at });
    await setImmediate();
  }
  return { ceilings, tally, types, last };
}

interface Step {
  readonly tally: ExpiryTally;
  readonly after: RecordKey;
  /** Types, in their order, beginning with that of `after` or an earlier one. */
  readonly left: readonly string[];
  readonly at: number | undefined;
}

/**
 * Takes one step. It counts only records of the type that it begins with, so that the end of a step does not depend on
 * records of types that this person may not know of. Returns where the next step begins.
 */
async function previewStep(
  app: App,
  ceilings: readonly Ceiling[],
  { tally, after, left, at }: Step,
): Promise<RecordKey | undefined> {
  const { organizationId, resourceType } = after;
  const scannedMax = examinedAtOnce;
  const part = await scanPart(app, { organizationId, ceilings, after, scannedMax, at });
  const expired = part.expired.filter(({ key }) => key.resourceType === resourceType);
  await tallyPart(app, tally, { organizationId, ceilings, at, expired });
  if (part.next?.resourceType === resourceType) return part.next;
  const next = left.find((type) => type > resourceType);
  return next === undefined ? undefined : { ...after, resourceType: next, resourceId: "" };
}
