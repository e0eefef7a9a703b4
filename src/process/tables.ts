// The tables of the core, followed by the rows that features add to them, for documents, clients and pages. What only
// looks a row up does not need them: a row of a feature is passed on as a value.

import { operatorErrors } from "../actions/operator/operator-error.ts";
import { type ErrorRow, errorCatalogue } from "../domain/error.ts";
import { operatorRights, type Right } from "../domain/operator-right.ts";
import { trailActions } from "../domain/trail-action.ts";
import type { AddedRows } from "../feature/feature.ts";
import { features } from "../feature/features.ts";

const added = features.flatMap(({ rows }) => rows ?? []);

function withAdded<Row>(
  own: Readonly<Record<string, Row>>,
  of: (rows: AddedRows) => Readonly<Record<string, Row>> | undefined,
): Readonly<Record<string, Row>> {
  return Object.assign({}, own, ...added.map(of)) as Readonly<Record<string, Row>>;
}

/** In the order of their codes. */
export const allErrors = Object.fromEntries(
  Object.entries(withAdded<ErrorRow>(errorCatalogue, ({ errors }) => errors)).sort(
    ([, one], [, other]) => one.code - other.code,
  ),
);

export const allOperatorErrors = withAdded(operatorErrors, (rows) => rows.operatorErrors);

export const allRights = withAdded<Right>(operatorRights, ({ rights }) => rights);

/** What each action of the audit trail says. */
export const allActions = withAdded<string>(trailActions, ({ actions = {} }) =>
  Object.fromEntries(Object.entries(actions).map(([name, { summary }]) => [name, summary])),
);

export const addedLimits = added.flatMap(({ limits = [] }) => limits);
