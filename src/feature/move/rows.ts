// What moving a store adds to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { may } from "../../domain/operator-right.ts";
import type { AddedRows } from "../feature.ts";
import { actions } from "./store/part.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  move: operatorError(409, "The move to PostgreSQL failed."),
});

export const rights = nameRows({
  "store.move": may(["operator"], "move the store to PostgreSQL"),
});

export const rows: AddedRows = { operatorErrors, rights, actions };
