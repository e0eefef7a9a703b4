// Lists of the maximum size: valid, invalid in their last item, of one record, or related to very
// many.

import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { checkOfMany, listOf, makeIds, transaction } from "../records.ts";
import { flooding, requestBytes } from "../sending.ts";

const batch = "/v2/transactions/batch";

/** Each connection sends one list after another, each newly generated. */
function listFlood(
  title: Title,
  { path = batch, connections = 8, headers = {} }: ListFlood,
  makeBody: (context: AbuseContext, id: string) => string,
): Abuse {
  return flooding(title, { connections: [connections, 2] }, (context) => {
    const nextId = makeIds(title[0]);
    const { token } = context.target;
    return () => requestBytes("POST", path, { token, headers, body: makeBody(context, nextId()) });
  });
}

interface ListFlood {
  readonly path?: string;
  readonly connections?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const lenient = { headers: { prefer: "handling=lenient" } };

/** At most the bytes that a record may have, and far more errors than a reply names. */
const manyErrors = `[${Array.from({ length: 100 }, () => "{}").join(",")}]`;

export const lists: readonly Abuse[] = [
  listFlood(["strict-lists", "8 parallel strict lists of 10,000 items"], {}, (context, id) =>
    listOf(context.amount(10_000, 2_000), (index) => transaction(`${id}-${index}`)),
  ),
  listFlood(
    ["last-item-invalid", "lists of 10,000, all valid except the last"],
    {},
    (context, id) => {
      const length = context.amount(10_000, 2_000);
      return listOf(length, (index) =>
        index === length - 1 ? "{}" : transaction(`${id}-${index}`),
      );
    },
  ),
  listFlood(["one-record", "lists of 10,000 changes of one record"], {}, (context, id) =>
    listOf(context.amount(10_000, 2_000), (index) =>
      transaction("one-record", Number(id.split("-").at(-1)) * 1e5 + index),
    ),
  ),
  listFlood(
    ["related-to-many", "lists of checks, each related to 1,000 transactions"],
    { path: "/v2/transaction_check" },
    (context, id) => listOf(context.amount(500, 20), (index) => checkOfMany(`${id}-${index}`)),
  ),
  listFlood(
    ["lenient-many-errors", "lenient lists of 10,000 invalid items with 100 errors each"],
    lenient,
    (context, id) =>
      listOf(
        context.amount(10_000, 1_000),
        (index) => `{"tx_id":"${id}-${index}","additional_properties":${manyErrors}}`,
      ),
  ),
];
