// Reads from all changes of a person's or company's record who it is about, since when it is closed, and which statuses
// and products it had. Reads a history of any length in parts.

import type { Payload, RecordType } from "../../domain/record-type.ts";
import { StateFold } from "../../domain/record/merge.ts";
import { type PartyTraits, traitsOf } from "../../domain/record/party-traits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { ClosedSince } from "../../domain/retention/floor-origin.ts";
import { formatTimestamp, type NormalisedTimestamp, timestampOf } from "../../domain/timestamp.ts";
import type { App } from "../../actions/app.ts";
import { historyPages } from "../../actions/pages.ts";

export interface StatedValue {
  readonly value: string;
  readonly first_stated: string;
  readonly last_stated: string;
}

export interface Span {
  readonly first: NormalisedTimestamp;
  readonly last: NormalisedTimestamp;
}

export function widen(known: Span | undefined, { first, last }: Span): Span {
  if (known === undefined) return { first, last };
  return {
    first: first < known.first ? first : known.first,
    last: last > known.last ? last : known.last,
  };
}

/** Further products of one subject are left out, and the answer says so. */
export const productsMax = 100;

export interface OwnRecord {
  readonly traits: PartyTraits;
  readonly until: string | undefined;
  readonly statuses: readonly StatedValue[];
  readonly products: readonly StatedValue[];
  /** Fields of the record that were true, such as `is_director`. */
  readonly roles: readonly StatedValue[];
  /** False if products were left out. */
  readonly complete: boolean;
}

const roleFields = [
  "is_retail_customer",
  "is_account_owner",
  "is_beneficial_owner",
  "is_director",
  "is_shareholder",
  "is_significant_control_person",
  "is_sole_prop",
  "is_test_user",
  "is_test_company",
  "registered_as_inactive",
];

/** Other ways of closing a record, such as a register that calls a company inactive, end no relationship. */
const accountField = "account_status";

export async function readOwn(
  app: App,
  key: RecordKey,
  type: RecordType,
): Promise<OwnRecord | undefined> {
  const conditions = type.closed?.filter(({ field }) => field === accountField) ?? [];
  const closed = new ClosedSince({ closed: conditions });
  const statuses = new Map<string, Span>();
  const products = new Map<string, Span>();
  const roles = new Map<string, Span>();
  const fold = new StateFold(type);
  let changesRead = 0;
  for await (const changes of historyPages(app, key)) {
    changesRead += closed.addAll(changes);
    for (const change of changes) {
      fold.add(change);
      const payload: Payload = JSON.parse(change.payload);
      addStated(statuses, payload, payload[accountField]);
      addStated(products, payload, payload["product_type"]);
      for (const field of roleFields) if (payload[field] === true) addStated(roles, payload, field);
    }
  }
  if (changesRead === 0) return undefined;
  const until = closed.end();
  return {
    traits: traitsOf(fold.state()),
    until: until === undefined ? undefined : formatTimestamp(until),
    statuses: listStated(statuses),
    products: listStated(products).slice(0, productsMax),
    roles: listStated(roles),
    complete: products.size <= productsMax,
  };
}

function addStated(found: Map<string, Span>, payload: Payload, value: unknown): void {
  const at = timestampOf(payload);
  if (typeof value !== "string" || at === undefined) return;
  const known = found.get(value);
  if (known === undefined && found.size > productsMax) return;
  found.set(value, widen(known, { first: at, last: at }));
}

function listStated(found: ReadonlyMap<string, Span>): readonly StatedValue[] {
  return Array.from(found)
    .sort(([, one], [, other]) => (one.first < other.first ? -1 : 1))
    .map(([value, { first, last }]) => ({
      value,
      first_stated: formatTimestamp(first),
      last_stated: formatTimestamp(last),
    }));
}
