// The navigation as data: the screens of the core by task, with the right that each needs. People without the right
// don't see it.

import type { OperatorRight } from "../../domain/operator-right.ts";

export interface Screen {
  readonly path: `/console${string}`;
  readonly label: string;
  readonly right: OperatorRight | "own";
  /** The name of a symbol in asset/icons.svg. */
  readonly icon: string;
}

export interface Task {
  /** Undefined if the task is one screen of the same name. */
  readonly label?: string;
  readonly screens: readonly Screen[];
}

export const tasks: readonly Task[] = [
  {
    screens: [
      { path: "/console", label: "Overview", right: "overview.read", icon: "overview" },
      {
        path: "/console/deletions",
        label: "Deletions",
        right: "deletion.read",
        icon: "deletions",
      },
      { path: "/console/proposals", label: "Proposals", right: "proposal.read", icon: "people" },
    ],
  },
  {
    label: "Records",
    screens: [
      { path: "/console/find", label: "Find", right: "record.find", icon: "find" },
      { path: "/console/subjects", label: "Persons", right: "subject.find", icon: "person" },
      {
        path: "/console/access",
        label: "Access requests",
        right: "subject.show",
        icon: "access",
      },
      { path: "/console/holds", label: "Holds", right: "hold.read", icon: "hold" },
    ],
  },
  {
    screens: [
      {
        path: "/console/restricted",
        label: "Restricted sets",
        right: "restricted.list",
        icon: "restricted",
      },
      { path: "/console/retention", label: "Retention", right: "retention.read", icon: "clock" },
      { path: "/console/intake", label: "Intake", right: "intake.read", icon: "intake" },
    ],
  },
  {
    label: "Proof",
    screens: [
      { path: "/console/erasures", label: "Erasures", right: "deletion.read", icon: "report" },
      { path: "/console/receipts", label: "Receipts", right: "deletion.read", icon: "receipt" },
      { path: "/console/audit", label: "Audit", right: "audit.read", icon: "list" },
    ],
  },
  {
    label: "Administration",
    screens: [
      {
        path: "/console/organizations",
        label: "Organizations",
        right: "organization.read",
        icon: "building",
      },
      { path: "/console/operators", label: "Operators", right: "operator.read", icon: "badge" },
      { path: "/console/health", label: "Health", right: "health.read", icon: "health" },
      { path: "/console/account", label: "Account", right: "own", icon: "gear" },
    ],
  },
];

export function findScreen(
  all: readonly Task[],
  path: string | null | undefined,
): Screen | undefined {
  return all.flatMap((task) => task.screens).find((screen) => screen.path === path);
}
