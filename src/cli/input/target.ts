// The record that a command is about: TYPE ID --organization ORG, or the id of a deletion request.

import type { Target } from "../../actions/record/find-named-record.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { optional, required } from "../command.ts";
import { recordType, text } from "./kinds.ts";

export const targetArguments = {
  what: required(
    { ...recordType, placeholder: "TYPE|DELETION_REQUEST_ID" },
    "Type of the record, followed by its id; or the id of a deletion request for the record.",
  ),
  id: optional(text("ID"), "Id of the record."),
};

export const targetOptions = {
  organization: optional(text("ID"), "Organization of the record; required with TYPE ID."),
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
