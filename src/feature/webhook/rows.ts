// What webhooks add to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { everyone, may } from "../../domain/operator-right.ts";
import { networks, onOrOff, setting } from "../../settings/setting.ts";
import type { AddedRows } from "../feature.ts";
import { actions, endpointsMax, errors } from "./store/rows.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  no_such_endpoint: operatorError(404, "There is no such endpoint of webhooks."),
  too_many_endpoints: operatorError(
    409,
    "The organization has as many endpoints of webhooks as it can have.",
  ),
  key_changed: operatorError(409, "The key of the endpoint's secret was replaced."),
  webhook_key: operatorError(
    409,
    "There is no key from which the secrets of webhooks could be derived.",
  ),
});

export const rights = nameRows({
  "webhook.read": may(
    everyone,
    "see the endpoints of webhooks and what became of the last delivery",
  ),
  "webhook.create": may(["operator"], "create endpoints of webhooks"),
  "webhook.change": may(["operator"], "enable and test endpoints of webhooks"),
  "webhook.remove": may(["operator"], "remove endpoints of webhooks"),
});

export const rows: AddedRows = {
  errors,
  operatorErrors,
  rights,
  actions,
  limits: [["Endpoints of webhooks of one organization", endpointsMax, "409"]],
};

export const webhookSettings = {
  webhooks: setting("WEBHOOKS", "on", "`off` sends no webhooks.", onOrOff),
  webhookNetworks: setting(
    "WEBHOOK_NETWORKS",
    "",
    "Addresses and networks besides public ones to which webhooks are sent, such as `10.1.0.0/16,fd00::/8`; to these also without TLS.",
    networks,
  ),
};
