// The acts that decide on a deletion: as commands, and as forms of its page. Its other commands are in
// src/cli/command/deletion.ts.

import { approveDeletion, cancelDeletion } from "../actions/deletion/decide-deletion.ts";
import { required } from "../cli/command.ts";
import { text } from "../cli/input/kinds.ts";
import { viewForOperator } from "../cli/output/deletion-view.ts";
import { formatTime } from "../cli/output/table.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { defineAct } from "./act.ts";

const byId = { id: required(text("DELETION_REQUEST_ID"), "The deletion request.") };
const json = (deletion: Deletion) => viewForOperator(deletion, undefined);

export const deletionApprove = defineAct({
  name: "deletion approve",
  summary: "Approve a deletion request of an organization that requires an approval.",
  details:
    "Needs --as NAME, of an operator with the role officer who did not request the deletion. `sluice organization set ID " +
    "--deletion-approval on` requires approvals.",
  examples: ["sluice deletion approve del_4fQ2mN8sT1vXc7Za --as anna"],
  rights: ["deletion.approve"],
  arguments: byId,
  act: (app, { id }) => approveDeletion(app, id),
  json,
  said: ({ dueAt }, { id }, { operator, now }) => {
    const due = dueAt > now() ? `, and is due ${formatTime(dueAt)}` : "";
    return `The deletion request ${id} is approved by ${operator}${due}.`;
  },
  form: { path: "/console/approval/:id", heading: "Approve", confirm: "deletion" },
});

export const deletionCancel = defineAct({
  name: "deletion cancel",
  summary: "Cancel a deletion request that is still pending.",
  examples: ["sluice deletion cancel del_4fQ2mN8sT1vXc7Za"],
  rights: ["deletion.cancel"],
  arguments: byId,
  act: (app, { id }) => cancelDeletion(app, id),
  json,
  said: ({ resourceType, resourceId }, { id }) =>
    `The deletion request ${id} is cancelled; ${resourceType} ${resourceId} is not erased.`,
  form: { path: "/console/deletion/:id", heading: "Cancel", confirm: "deletion" },
});
