// What recipients have in the store: who reads the feed of changes and up to where, and the notices of what was erased.

import { isAnyInformed } from "../../../store/sql/deletion/informed-recipient.ts";
import { change, every, lookup, ofOrganization } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { oneOrAll, organization } from "../../../store/sql/statement/visibility.ts";
import { removeSubscriptions } from "../../follow/store/subscription.ts";
import * as notices from "./notices.ts";
import * as recipient from "./recipient.ts";

const methods = {
  createRecipient: change(ofOrganization, recipient.createRecipient),
  listRecipients: lookup(organization, recipient.listRecipients),
  listWaiting: lookup(
    (wanted: string | recipient.RecipientPage) =>
      oneOrAll(typeof wanted === "string" ? wanted : undefined),
    recipient.listWaiting,
  ),
  removeRecipient: change(ofOrganization, recipient.removeRecipient),
  acknowledge: change(ofOrganization, recipient.acknowledge),
  purgeNotices: { ...change(every, notices.purgeNotices), mayHaveResidue: isAnyInformed },
} as const;

export const recipients = {
  name: "recipients",
  methods,
  schema: new URL("schema.sql", import.meta.url),
  tables: ["recipient", "erasure_notice"],
  arrivalNumbers: [
    "SELECT max(acknowledged_no) AS latest FROM recipient",
    "SELECT max(since_no) AS latest FROM recipient",
    `SELECT (
       SELECT notice_no FROM erasure_notice AS notice WHERE notice.organization_id = one.organization_id
       ORDER BY notice_no DESC LIMIT 1) AS latest
     FROM organization AS one`,
  ],
  invariants: [
    {
      broken: "A recipient is of an organization that does not exist",
      sql: `
        SELECT name AS subject FROM recipient
        WHERE organization_id NOT IN (SELECT organization_id FROM organization) LIMIT $1`,
    },
  ],
  // Nobody can read any more what they would be told. The purge ends what they were told.
  *close(organizationId) {
    yield* removeSubscriptions(recipient.recipientKind, organizationId);
  },
  *erase({ organizationId, rowsMax }) {
    yield* removeSubscriptions(recipient.recipientKind, organizationId);
    return (yield* notices.removeNoticesOf(organizationId, rowsMax)) === rowsMax ? [] : undefined;
  },
  onErased: notices.tellErased,
  onCompleted: notices.tellCompleted,
  arrivals: {
    pages: { ASC: notices.noticesIn("ASC"), DESC: notices.noticesIn("DESC") },
    news: notices.findNewNotices,
  },
} satisfies StorePart;
