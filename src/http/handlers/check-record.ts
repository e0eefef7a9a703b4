// GET and HEAD /v2/<type>: whether a record exists, and when it was first and last seen.

import { checkRecord } from "../../actions/check-record.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { requireType } from "../body/require-type.ts";
import { queryIdentifier } from "../request/query.ts";
import { type HandlerMaker, ok } from "./handler.ts";

export const makeCheckRecord: HandlerMaker = ({ app }, operation) => {
  const type = requireType(operation);
  return async ({ request, caller: { organizationId } }) => {
    const id = queryIdentifier(request, type.idField);
    const { firstSeen, lastSeen } = await checkRecord(app, type, { organizationId, id });
    return ok(200, {
      [type.idField]: id,
      first_seen: formatTimestamp(firstSeen),
      last_seen: formatTimestamp(lastSeen),
      organization_id: organizationId,
    });
  };
};
