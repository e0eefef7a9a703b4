// What imports add to the tables of the core.

import { OperatorError, operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { may } from "../../domain/operator-right.ts";
import type { AddedRows } from "../feature.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  mapping: operatorError(400, "The mapping of columns to fields is not valid."),
  key: operatorError(409, "There is no API key to use."),
  state: operatorError(409, "The file with the state of an import can't be used."),
});

export function mappingError(message: string): OperatorError {
  return new OperatorError(operatorErrors.mapping, message);
}

export const rights = nameRows({ "records.import": may(["operator"], "import records") });

export const actions = nameRows({ "records.import": { summary: "imported records" } });

export const rows: AddedRows = { operatorErrors, rights, actions };
