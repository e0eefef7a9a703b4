// What requests about persons and companies add to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { may } from "../../domain/operator-right.ts";
import type { AddedRows } from "../feature.ts";

export const operatorErrors = nameRows({
  too_much_to_search: operatorError(409, "Too many transactions would have to be searched."),
});

export const rights = nameRows({
  "subject.show": may(["officer"], "see how much is stored on a person or a company"),
  "subject.export": may(["officer"], "export everything that is stored on a person or a company"),
  "subject.answer": may(["officer"], "answer an inquiry about a person or a company"),
});

const actions = nameRows({
  "subject.show": { summary: "looked up a person or a company" },
  "subject.export": { summary: "exported everything on a person or a company" },
  "subject.answer": { summary: "answered an inquiry about a person or a company" },
});

export const rows: AddedRows = { errors: {}, operatorErrors, rights, actions, limits: [] };
