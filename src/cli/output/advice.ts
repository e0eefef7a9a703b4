// The command to run after an error, by the name of the error. The actions that throw it do not know the command line.

import type { ErrorContext, OperatorErrorName } from "../../actions/operator/operator-error.ts";

export const advice: {
  readonly [Name in OperatorErrorName]?: (context: ErrorContext) => string | undefined;
} = {
  confidential_type: () =>
    "To include it, add --include-confidential; it may be forbidden to pass on the output.",
  invalid: where("isRecord", "To show one record, use: sluice record show"),
  key_ended: ({ organizationId = "ID" }) =>
    `Create a new one with: sluice key create --organization ${organizationId}`,
  ledger_ahead: () => "Run: sluice deletion replay",
  no_such_deletion: () => "List them with: sluice deletion list",
  no_such_hold: () => "List them with: sluice deletion holds",
  no_such_key: where("isFirst", "Create one with: sluice key create --organization ID"),
  no_such_operator: where("isFirst", "Create one with: sluice operator create NAME --role ROLE"),
  no_such_organization: where("isFirst", "Create one with: sluice organization create --name NAME"),
  no_such_restricted_set: ({ organizationId = "ID" }) =>
    `List them with: sluice restricted list --organization ${organizationId}`,
  not_permitted: where("isUnnamed", "To name one, add --as NAME."),
  organization_closed: ({ deletionRequestId: id }) =>
    id === undefined
      ? undefined
      : `For its deletion, see: sluice deletion show ${id} --include-confidential`,
  organization_exists: ({ organizationId = "ID" }) =>
    `To change it, use: sluice organization set ${organizationId}`,
  replay_unread: ({ ledgers = [] }) =>
    `Run: sluice deletion replay${ledgers.map((name) => ` --ledger ${name}`).join("")}`,
  several_holds: () => "Name the one to release: sluice deletion release HOLD_ID",
};

function where(condition: "isFirst" | "isRecord" | "isUnnamed", text: string) {
  return (context: ErrorContext) => (context[condition] === true ? text : undefined);
}
