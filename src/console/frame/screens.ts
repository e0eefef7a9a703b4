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
  readonly label?: string;
  readonly screens: readonly Screen[];
}

export const tasks: readonly Task[] = [
  group(
    undefined,
    ["/console", "Overview", "overview.read", "overview"],
    ["/console/deletions", "Deletions", "deletion.read", "deletions"],
    ["/console/proposals", "Proposals", "proposal.read", "people"],
  ),
  group(
    "Records",
    ["/console/find", "Find", "record.find", "find"],
    ["/console/holds", "Holds", "hold.read", "hold"],
  ),
  group(
    undefined,
    ["/console/restricted", "Restricted sets", "restricted.list", "restricted"],
    ["/console/retention", "Retention", "retention.read", "clock"],
    ["/console/intake", "Intake", "intake.read", "intake"],
  ),
  group(
    "Proof",
    ["/console/erasures", "Erasures", "deletion.read", "report"],
    ["/console/audit", "Audit", "audit.read", "list"],
  ),
  group(
    "Administration",
    ["/console/organizations", "Organizations", "organization.read", "building"],
    ["/console/operators", "Operators", "operator.read", "badge"],
    ["/console/health", "Health", "health.read", "health"],
    ["/console/account", "Account", "own", "gear"],
  ),
];

type Row = readonly [Screen["path"], label: string, Screen["right"], icon: string];

function group(label: string | undefined, ...rows: readonly Row[]): Task {
  const screens = rows.map(([path, name, right, icon]) => ({ path, label: name, right, icon }));
  return label === undefined ? { screens } : { label, screens };
}

export function findScreen(
  all: readonly Task[],
  path: string | null | undefined,
): Screen | undefined {
  return all.flatMap((task) => task.screens).find((screen) => screen.path === path);
}
