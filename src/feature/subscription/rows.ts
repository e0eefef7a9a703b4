// What subscriptions add to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { everyone, may } from "../../domain/operator-right.ts";
import type { AddedRows } from "../feature.ts";
import {
  actions,
  endpointsMax,
  errors,
  recipientNameCharactersMax,
  recipientsMax,
} from "./store/rows.ts";

/** As operators get them. */
export const operatorErrors = nameRows({
  no_such_endpoint: operatorError(404, "There is no such endpoint of webhooks."),
  too_many_endpoints: operatorError(
    409,
    "The organization has as many endpoints of webhooks as it can have.",
  ),
  webhook_key: operatorError(
    409,
    "There is no key from which the secrets of webhooks could be derived.",
  ),
  no_such_recipient: operatorError(404, "There is no such recipient of changes."),
  recipient_exists: operatorError(409, "A recipient with this name has other types."),
  too_many_recipients: operatorError(
    409,
    "The organization has as many recipients as it can have.",
  ),
});

export const rights = nameRows({
  "webhook.read": may(
    everyone,
    "see the endpoints of webhooks and what became of the last delivery",
  ),
  "webhook.create": may(["operator"], "create endpoints of webhooks"),
  "webhook.change": may(
    ["operator"],
    "enable and test endpoints of webhooks, and rotate their secrets",
  ),
  "webhook.remove": may(["operator"], "remove endpoints of webhooks"),
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
    ["Endpoints of webhooks of one organization", endpointsMax, "409"],
    ["Recipients of one organization", recipientsMax, "409"],
    ["Characters of the name of a recipient; at least 1", recipientNameCharactersMax, "400"],
  ],
};
