// What finding persons adds to the tables of the core.

import { type ErrorContext, operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { may } from "../../domain/operator-right.ts";
import type { AddedRows } from "../feature.ts";
import { sluice } from "../../basics/program-name.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  search_key: {
    ...operatorError(409, "The index of persons was made with another key, or there is no key."),
    advice: ({ isOther }: ErrorContext) =>
      isOther === true ? `To make it again, run: ${sluice} subject index` : undefined,
  },
});

export const rights = nameRows({
  "subject.find": may(["officer"], "find persons and companies by name, date of birth or number"),
});

/** Actions of entries of the audit trail. */
export const actions = nameRows({
  "subject.find": { summary: "searched for persons or companies" },
});

export const rows: AddedRows = { errors: {}, operatorErrors, rights, actions, limits: [] };
