// The settings of recipients and of webhooks.

import { networks, onOrOff, setting, wholeNumber } from "../../settings/setting.ts";

export const subscriptionSettings = {
  noticeDays: setting(
    "NOTICE_DAYS",
    "30",
    "For how many days the feed of changes has a notice of an erased record, if a recipient does not acknowledge it earlier.",
    wholeNumber(1, 3_650),
  ),
  webhooks: setting("WEBHOOKS", "on", "`off` sends no webhooks.", onOrOff),
  webhookNetworks: setting(
    "WEBHOOK_NETWORKS",
    "",
    "Addresses and networks besides public ones to which webhooks are sent, such as `10.1.0.0/16,fd00::/8`; to these also without TLS.",
    networks,
  ),
};
