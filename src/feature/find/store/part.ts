// What finding persons has in the store: the hashes by which they are found, and up to where records are indexed. It is
// derived from records: a move copies none of it, and the new store builds it again.

import { change, every, lookup, ofKeys, ofOrganization, read } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import * as index from "./index-tokens.ts";
import * as tokens from "./tokens.ts";

const methods = {
  state: lookup({}, index.readSearchState),
  begin: change(every, index.beginIndex),
  listDue: lookup(every, index.listDue),
  readChanges: lookup(ofKeys, index.readDueChanges),
  store: change(ofKeys, index.storeTokens),
  find: read(ofOrganization, tokens.findTokens),
  findAny: read(ofOrganization, tokens.findTokensOfAny),
} as const;

export const persons = {
  name: "persons",
  methods,
  schema: new URL("schema.sql", import.meta.url),
  tables: ["search_token"],
  isDerived: true,
  distributed: { search_token: "resource_id" },
  state: "search_index",
  arrivalNumbers: ["SELECT max(indexed_no) AS latest FROM search_index"],
  invariants: [
    {
      broken: "The index has a hash of a record that does not exist",
      sql: `
        SELECT resource_id AS subject FROM search_token
        WHERE NOT EXISTS (
          SELECT 1 FROM record
          WHERE record.organization_id = search_token.organization_id
            AND record.resource_type = search_token.resource_type
            AND record.resource_id = search_token.resource_id) LIMIT $1`,
    },
  ],
  erase: tokens.removePage,
  ofRecords: { remove: tokens.removeTokensOf, find: tokens.findTokensOf },
} satisfies StorePart;
