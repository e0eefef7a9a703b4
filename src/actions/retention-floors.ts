// Retention floors: how long an organization has to keep its records of a type. Set and shown; the plans of deletions obey them.

import type { Organization } from "../domain/access.ts";
import { limits } from "../domain/limits.ts";
import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import { type FloorOrigin, floorOrigins, type RetentionFloor } from "../domain/retention/floor.ts";
import { actOf, type App } from "./app.ts";
import { ceilingTooLow } from "./change-organization.ts";
import { findOrganization } from "./find-organization.ts";
import { findType } from "./find-target.ts";
import { OperatorError } from "./operator-error.ts";

export interface FloorSetting {
  readonly organizationId: string;
  readonly resourceType: string;
  /** Null removes the floor. */
  readonly keepDays: number | null;
  readonly countedFrom: FloorOrigin;
}

export interface Retention {
  readonly organization: Organization;
  /** In the order of their types. */
  readonly floors: readonly RetentionFloor[];
}

/**
 * Sets or removes the floor of a type, and has the deletions that wait for a floor evaluated again. Throws OperatorError
 * no_such_type, no_such_organization, invalid, confidential_type and floor_above_ceiling.
 */
export async function setFloor(app: App, wanted: FloorSetting): Promise<Retention> {
  const { organizationId, keepDays, countedFrom } = wanted;
  const type = findType(wanted.resourceType);
  await findOrganization(app, organizationId);
  if (keepDays !== null) requireAllowed(type, keepDays, countedFrom);
  const { resourceType } = type;
  const rule = keepDays === null ? undefined : { keepDays, countedFrom };
  const change = { organizationId, resourceType, rule };
  const outcome = await app.store.retention.setFloor(change, actOf(app));
  if (outcome.result === "above_ceiling" && rule !== undefined) {
    throw ceilingTooLow(outcome.retainDays, { resourceType, ...rule });
  }
  let after: string | undefined = "";
  while (after !== undefined) after = await app.store.retention.wakeFrom(organizationId, after);
  return readRetention(app, organizationId);
}

/** Throws OperatorError no_such_organization. */
export async function readRetention(app: App, organizationId: string): Promise<Retention> {
  const organization = await findOrganization(app, organizationId);
  return { organization, floors: await app.store.retention.listFloors(organizationId) };
}

function requireAllowed(type: RecordType, keepDays: number, countedFrom: FloorOrigin): void {
  const { resourceType, confidential, closed } = type;
  if (!Number.isInteger(keepDays) || keepDays < 1 || keepDays > limits.retainDaysMax) {
    throw new OperatorError(
      "invalid",
      `A retention floor must be a whole number of days from 1 to ${limits.retainDaysMax}.`,
    );
  }
  if (confidential === true) {
    throw new OperatorError(
      "confidential_type",
      `A retention floor on ${resourceType} is not possible yet. Reports of this type are confidential, and a deletion that ` +
        "waits for one would disclose that it exists. To keep a report, place a legal hold on it: sluice deletion hold",
    );
  }
  if (!floorOrigins.includes(countedFrom)) {
    throw new OperatorError("invalid", `Floors count from ${floorOrigins.join(" or ")}.`);
  }
  if (countedFrom === "closed" && closed === undefined) {
    const types = recordTypes.filter((one) => one.closed !== undefined);
    throw new OperatorError(
      "invalid",
      `A ${resourceType} is never closed, so its floor can only count from last_seen. Floors that count from closing are ` +
        `possible for: ${types.map((one) => one.resourceType).join(", ")}.`,
    );
  }
}
