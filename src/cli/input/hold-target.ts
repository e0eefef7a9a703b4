// Which record a command is about: TYPE ID --organization ORG, or a deletion request's id; and how holds are printed.

import type { Target } from "../../actions/find-target.ts";
import type { Hold } from "../../domain/access.ts";
import { UsageError } from "../../actions/operator-error.ts";
import { optional, required } from "../command.ts";
import { text } from "./kinds.ts";
import { type Column, formatTime, renderTable } from "../output/table.ts";

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
    hold_id: hold.holdId,
    organization_id: hold.organizationId,
    resource_type: hold.resourceType,
    resource_id: hold.resourceId,
    reason: hold.reason,
    owner: hold.owner ?? null,
    review_date: hold.reviewOn ?? null,
    placed_at: formatTime(hold.placedAt),
    placed_by: hold.placedBy,
  };
}

const ownColumns: readonly Column<Hold>[] = [
  { title: "hold", cell: ({ holdId }) => holdId },
  { title: "reason", cell: ({ reason }) => reason },
  { title: "owner", cell: ({ owner }) => owner ?? "-" },
  { title: "review", cell: ({ reviewOn }) => reviewOn ?? "-" },
  { title: "placed", cell: ({ placedAt }) => formatTime(placedAt) },
  { title: "by", cell: ({ placedBy }) => placedBy },
];

/** Of one record. */
export function renderHolds(holds: readonly Hold[]): string {
  return renderTable(ownColumns, holds);
}

/** Of any records. */
export function renderHoldsOfRecords(holds: readonly Hold[]): string {
  const [id, ...rest] = ownColumns;
  const record: readonly Column<Hold>[] = [
    { title: "organization", cell: ({ organizationId }) => organizationId },
    { title: "record", cell: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
  ];
  return renderTable(id === undefined ? [] : [id, ...record, ...rest], holds);
}
