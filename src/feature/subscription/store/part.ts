// What subscriptions have in the store: who follows an organization, and the notices of what was erased.

import { removeNoticesOf, tellCompleted, tellErased } from "./notices.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { removeSubscriptionsOf } from "./subscription.ts";

export const subscriptions: StorePart = {
  schema: new URL("schema.sql", import.meta.url),
  tables: ["subscription", "erasure_notice"],
  arrivalNumbers: [
    "SELECT max(change_no) AS latest FROM subscription",
    "SELECT max(since_no) AS latest FROM subscription",
    `SELECT (
       SELECT notice_no FROM erasure_notice AS notice WHERE notice.organization_id = one.organization_id
       ORDER BY notice_no DESC LIMIT 1) AS latest
     FROM organization AS one`,
  ],
  invariants: [
    {
      broken: "A recipient or an endpoint of webhooks is of an organization that does not exist",
      sql: `
        SELECT name AS subject FROM subscription
        WHERE organization_id NOT IN (SELECT organization_id FROM organization) LIMIT $1`,
    },
  ],
  // Nobody can read what recipients would be told, or receive messages. The purge ends what they were told.
  close: removeSubscriptionsOf,
  *erase({ organizationId, rowsMax }) {
    yield* removeSubscriptionsOf(organizationId);
    return (yield* removeNoticesOf(organizationId, rowsMax)) === rowsMax;
  },
  onErased: tellErased,
  onCompleted: tellCompleted,
};
