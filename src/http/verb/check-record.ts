// GET and HEAD /v2/<type>: whether a record exists, and when it was first and last seen.

import { checkRecord as findRecord } from "../../actions/record/check-record.ts";
import { nounOf } from "../../domain/record-type.ts";
import { formatTimestamp, normaliseTimestamp } from "../../domain/timestamp.ts";
import { jsonReply, objectSchema, textSchema, timeSchema } from "../openapi/content.ts";
import { recordNotFound } from "../openapi/error-responses.ts";
import { exampleOrganizationId, idExample } from "../openapi/examples.ts";
import { componentName, oneOf } from "../openapi/wording.ts";
import { requireType, type Verb } from "../operation.ts";
import { jsonAnswer } from "../reply/reply.ts";
import { queryIdentifier } from "../request/query.ts";

export const checkRecord: Verb = {
  verb: "check record",
  permission: "read",
  body: "none",
  success: 200,
  errors: [recordNotFound],

  document: (operation) => {
    const type = requireType(operation);
    const noun = nounOf(type);
    const identifies = `Unique identifier of the ${noun}.`;
    const id = idExample(type);
    const seen = formatTimestamp(normaliseTimestamp(String(type.example["timestamp"])) ?? "");
    return {
      summary: `Check if ${oneOf(type)} exists`,
      description:
        "Returns the earliest and the latest `timestamp` of the changes of the record. A record of another organization is " +
        "404, like one that does not exist.",
      query: { name: type.idField, description: identifies, example: id },
      reply: jsonReply("It exists.", {
        name: `${componentName(type)}Existence`,
        schema: objectSchema(`The ${noun} exists.`, {
          [type.idField]: textSchema(identifies),
          first_seen: timeSchema(`Earliest timestamp associated with the ${noun}.`),
          last_seen: timeSchema(`Latest timestamp associated with the ${noun}.`),
          organization_id: textSchema(`Organization for which the ${noun} was found.`),
        }),
        examples: {
          exists: {
            summary: "Sent once",
            value: {
              [type.idField]: id,
              first_seen: seen,
              last_seen: seen,
              organization_id: exampleOrganizationId,
            },
          },
        },
      }),
    };
  },

  makeHandler: ({ app }, operation) => {
    const type = requireType(operation);
    return async ({ request, caller: { organizationId } }) => {
      const id = queryIdentifier(request, type.idField);
      const { firstSeen, lastSeen } = await findRecord(app, type, { organizationId, id });
      return jsonAnswer(200, {
        [type.idField]: id,
        first_seen: formatTimestamp(firstSeen),
        last_seen: formatTimestamp(lastSeen),
        organization_id: organizationId,
      });
    };
  },
};
