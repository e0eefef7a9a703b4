// What subscriptions have in the store: who follows an organization, and the notices of what was erased.

import { isAnyTold } from "../../../store/sql/deletion/told-recipient.ts";
import { byIdIn, change, every, lookup, ofOrganization } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { oneOrAll, organization } from "../../../store/sql/statement/visibility.ts";
import * as delivery from "../../webhook/store/delivery.ts";
import type { RecipientPage } from "./interface.ts";
import * as notices from "../../recipient/store/notices.ts";
import * as recipient from "../../recipient/store/recipient.ts";
import * as subscription from "../../../store/sql/subscription.ts";

const methods = {
  createEndpoint: change(ofOrganization, subscription.createEndpoint),
  removeEndpoint: change(ofOrganization, subscription.removeEndpoint),
  listEndpoints: lookup(organization, subscription.listEndpoints),
  findEndpoint: lookup(byIdIn, subscription.findEndpoint),
  listAllEndpoints: lookup(every, subscription.listAllEndpoints),
  changeEndpoint: change(ofOrganization, delivery.changeEndpoint),
  claim: change(ofOrganization, delivery.claimEndpoint),
  release: change(ofOrganization, delivery.releaseEndpoint),
  releaseAll: change(every, delivery.releaseEveryEndpoint),
  settle: change(({ before }) => ofOrganization(before), delivery.settleAttempt),
  listNews: lookup(ofOrganization, delivery.listDeletionNews),
  findNews: lookup(every, delivery.findOrganizationsWithNews),
  haveEndpointsChanged: lookup(every, delivery.haveEndpointsChanged),

  createRecipient: change(ofOrganization, subscription.createRecipient),
  listRecipients: lookup(organization, subscription.listRecipients),
  listWaiting: lookup(
    (wanted: string | RecipientPage) => oneOrAll(typeof wanted === "string" ? wanted : undefined),
    recipient.listWaiting,
  ),
  removeRecipient: change(ofOrganization, subscription.removeRecipient),
  acknowledge: change(ofOrganization, recipient.acknowledge),
  purgeNotices: { ...change(every, notices.purgeNotices), mayHaveResidue: isAnyTold },
} as const;

export const subscriptions = {
  name: "subscriptions",
  methods,
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
  close: subscription.removeSubscriptionsOf,
  *erase({ organizationId, rowsMax }) {
    yield* subscription.removeSubscriptionsOf(organizationId);
    return (yield* notices.removeNoticesOf(organizationId, rowsMax)) === rowsMax;
  },
  onErased: notices.tellErased,
  onCompleted: notices.tellCompleted,
  feed: {
    pages: { ASC: notices.noticesIn("ASC"), DESC: notices.noticesIn("DESC") },
    news: notices.findNewNotices,
  },
} satisfies StorePart;
