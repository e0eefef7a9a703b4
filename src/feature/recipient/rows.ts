// What recipients add to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { everyone, may } from "../../domain/operator-right.ts";
import { setting, wholeNumber } from "../../settings/setting.ts";
import type { AddedRows } from "../feature.ts";
import { actions, errors, recipientNameCharactersMax, recipientsMax } from "./store/rows.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  no_such_recipient: operatorError(404, "There is no such recipient of changes."),
  recipient_exists: operatorError(409, "A recipient with this name has other types."),
  too_many_recipients: operatorError(
    409,
    "The organization has as many recipients as it can have.",
  ),
});

export const rights = nameRows({
  "recipient.read": may(everyone, "see the recipients of changes and how far they have come"),
  "recipient.create": may(["operator"], "register recipients of changes"),
  "recipient.remove": may(["operator"], "remove recipients of changes"),
});

export const rows: AddedRows = {
  errors,
  operatorErrors,
  rights,
  actions,
  limits: [
    ["Recipients of one organization", recipientsMax, "409"],
    ["Characters of the name of a recipient; at least 1", recipientNameCharactersMax, "400"],
  ],
};

export const noticeDays = setting(
  "NOTICE_DAYS",
  "30",
  "For how many days the feed of changes has a notice of an erased record, if a recipient does not acknowledge it earlier.",
  wholeNumber(1, 3_650),
);
