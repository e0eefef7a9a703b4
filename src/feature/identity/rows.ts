// What identities of programs add to the tables of the core. A rule is created and revoked with the rights for API
// keys.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import type { AddedRows } from "../feature.ts";
import { actions } from "./store/actions.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  no_such_identity: operatorError(404, "There is no such rule for identities of programs."),
  too_many_identities: operatorError(
    409,
    "The organization has as many rules for identities of programs as it can have.",
  ),
});

export const rows: AddedRows = { operatorErrors, actions };
