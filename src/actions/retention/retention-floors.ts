// Sets and lists retention floors: how long an organization has to keep its records of a type. Plans of deletions obey
// them.

import type { Organization } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { hasFilingTime } from "../../domain/retention/filed-at.ts";
import {
  type FloorOrigin,
  floorOrigins,
  type RetentionFloor,
} from "../../domain/retention/floor.ts";
import { actOf, type App } from "../app.ts";
import { ceilingTooLow } from "../access/change-organization.ts";
import { findOrganization, listOrganizations } from "../access/find-organization.ts";
import { findType } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { type Knows, requireRight, viewerOf } from "../operator/viewer.ts";

export interface FloorSetting {
  readonly organizationId: string;
  readonly resourceType: string;
  /** Null removes the floor. */
  readonly keepDays: number | null;
  readonly countedFrom: FloorOrigin;
  /** Whether references in its records may be redacted. */
  readonly redactable?: boolean;
}

export interface Retention {
  readonly organization: Organization;
  /** The floors in the order of their types, without those that this person may not know of. */
  readonly floors: readonly RetentionFloor[];
}

/**
 * Sets or removes the floor of a type, and has the deletions that wait for a floor evaluated again. Throws
 * OperatorError not_permitted, no_such_type, no_such_organization, invalid and floor_above_ceiling.
 */
export async function setFloor(app: App, wanted: FloorSetting): Promise<Retention> {
  requireRight(app, "retention.set");
  const { organizationId, keepDays, countedFrom, redactable = false } = wanted;
  const type = findType(wanted.resourceType);
  await findOrganization(app, organizationId);
  if (keepDays !== null) requireAllowed(type, keepDays, countedFrom);
  const { resourceType } = type;
  const rule = keepDays === null ? undefined : { keepDays, countedFrom, redactable };
  const change = { organizationId, resourceType, rule };
  const outcome = await app.store.retention.setFloor(change, actOf(app));
  if (outcome.result === "above_ceiling" && rule !== undefined) {
    throw ceilingTooLow(outcome.retainDays, { resourceType, ...rule });
  }
  let after: string | undefined = "";
  while (after !== undefined) after = await app.store.retention.wakeFrom(organizationId, after);
  let afterSet: string | undefined = "";
  while (afterSet !== undefined) {
    afterSet = await app.store.retention.wakeSetsFrom(organizationId, afterSet);
  }
  return read(app, organizationId);
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function readRetention(app: App, organizationId: string): Promise<Retention> {
  requireRight(app, "retention.read");
  return read(app, organizationId);
}

async function read(app: App, organizationId: string): Promise<Retention> {
  const organization = await findOrganization(app, organizationId);
  return withFloors(app, organization, await viewerOf(app).knowledge(organizationId));
}

export interface RetentionPart {
  readonly shown: readonly Retention[];
  /** Where the next part begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Lists open organizations in the order of their ids. Throws OperatorError not_permitted. */
export async function listRetention(app: App, after = "", limit = 50): Promise<RetentionPart> {
  requireRight(app, "retention.read");
  const all = await listOrganizations(app);
  const following = all
    .filter(({ organizationId, closedAt }) => organizationId > after && closedAt === undefined)
    .sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  const shown = following.slice(0, limit);
  const next = following.length > limit ? shown.at(-1)?.organizationId : undefined;
  const knows = await viewerOf(app).knowledge();
  return { shown: await Promise.all(shown.map((one) => withFloors(app, one, knows))), next };
}

async function withFloors(app: App, organization: Organization, knows: Knows): Promise<Retention> {
  const floors = await app.store.retention.listFloors(organization.organizationId);
  return { organization, floors: floors.filter(knows) };
}

function requireAllowed(type: RecordType, keepDays: number, countedFrom: FloorOrigin): void {
  const { resourceType, closed } = type;
  if (!Number.isInteger(keepDays) || keepDays < 1 || keepDays > limits.retainDaysMax) {
    throw new OperatorError(
      "invalid",
      `A retention floor must be a whole number of days from 1 to ${limits.retainDaysMax}.`,
    );
  }
  if (!floorOrigins.includes(countedFrom)) {
    throw new OperatorError("invalid", `Floors count from ${floorOrigins.join(" or ")}.`);
  }
  if (countedFrom === "closed" && closed === undefined) {
    const types = recordTypes.filter((one) => one.closed !== undefined);
    const origins = hasFilingTime(type) ? "last_seen or report_filed_at" : "last_seen";
    throw new OperatorError(
      "invalid",
      `A ${resourceType} is never closed, so its floor can only count from ${origins}. Floors that count from closing are ` +
        `possible for: ${types.map((one) => one.resourceType).join(", ")}.`,
    );
  }
  if (countedFrom === "report_filed_at" && !hasFilingTime(type)) {
    const types = recordTypes.filter(hasFilingTime).map((one) => one.resourceType);
    throw new OperatorError(
      "invalid",
      `A ${resourceType} has no field report_filed_at, so its floor can't count from it. Types with that field: ` +
        `${types.join(", ")}.`,
    );
  }
}
