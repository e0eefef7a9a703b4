// Operators as the command line prints them. Never a secret, except a sign-in link, once.

import type { Operator } from "../../domain/operator.ts";
import type { OperatorDetails } from "../../actions/operator/find-operator.ts";
import { type Column, formatTime, renderFields, timeOrNull } from "./table.ts";

export function viewOperator(operator: Operator) {
  return {
    name: operator.name,
    roles: operator.roles,
    created_at: formatTime(operator.createdAt),
    disabled_at: timeOrNull(operator.disabledAt),
  };
}

export function describeOperator({ name, roles, disabledAt }: Operator): string {
  return renderFields([
    ["operator", name],
    ["roles", roles.join(", ")],
    ...(disabledAt === undefined ? [] : [["disabled", formatTime(disabledAt)] as const]),
  ]);
}

export const operatorColumns: readonly Column<OperatorDetails>[] = [
  { title: "operator", cell: ({ name }) => name },
  { title: "roles", cell: ({ roles }) => roles.join(", ") },
  {
    title: "status",
    cell: ({ disabledAt }) =>
      disabledAt === undefined ? "active" : `disabled ${formatTime(disabledAt)}`,
    tone: ({ disabledAt }) => (disabledAt === undefined ? "good" : "bad"),
  },
  { title: "passkeys", right: true, cell: ({ passkeys }) => String(passkeys) },
  { title: "sessions", right: true, cell: ({ sessions }) => String(sessions) },
  { title: "created", cell: ({ createdAt }) => formatTime(createdAt) },
];
