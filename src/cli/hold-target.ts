// Which record `deletion hold` and `deletion release` are about: TYPE ID --organization ORG, or a deletion request's id.

import type { Target } from "../actions/find-target.ts";
import type { Hold } from "../domain/access.ts";
import { UsageError } from "./cli-error.ts";
import { optional, required } from "./command.ts";
import { text } from "./kinds.ts";
import { formatTime } from "./table.ts";

export const targetArguments = {
  what: required(
    text("TYPE|DELETION_REQUEST_ID"),
    "Type of the record, followed by its id; or the id of a deletion request, for the record that it is about.",
  ),
  id: optional(text("ID"), "Id of the record."),
};

export const targetOptions = {
  organization: optional(text("ID"), "Organization of the record; needed with TYPE ID."),
};

export function readTarget(given: {
  what: string;
  id: string | undefined;
  organization: string | undefined;
}): Target {
  const { what, id, organization } = given;
  if (id === undefined) {
    if (what.startsWith("del_")) return { deletionRequestId: what };
    throw new UsageError(
      `"${what}" is not the id of a deletion request; name a record as TYPE ID --organization ORG.`,
    );
  }
  if (organization === undefined) {
    throw new UsageError("A record named by type and id needs --organization ORG.");
  }
  return { organizationId: organization, resourceType: what, resourceId: id };
}

export function viewHold(hold: Hold) {
  return {
    organization_id: hold.organizationId,
    resource_type: hold.resourceType,
    resource_id: hold.resourceId,
    reason: hold.reason,
    placed_at: formatTime(hold.placedAt),
    placed_by: hold.placedBy,
  };
}
