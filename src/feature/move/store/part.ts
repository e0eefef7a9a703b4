// What moving a store has in the database that it is moved to: a row from before the first page until the copy is
// verified. Nobody opens the database while it is there, and no second move begins in it.

import { nameRows } from "../../../basics/name-rows.ts";
import { StoreError } from "../../../store/interface/store-error.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import { get, type Statements } from "../../../store/sql/statement/statements.ts";
import { sluice } from "../../../basics/program-name.ts";

/** Actions of entries of the audit trail. */
export const actions = nameRows({
  "store.move": { summary: "moved the store to PostgreSQL" },
});

const findMove = `
  SELECT store_id, quote_ident(current_schema()) AS schema FROM move WHERE single`;

/** Throws StoreError: an incomplete store must be neither served nor changed, and a move into it can't be continued. */
export function* refuseUnfinished(): Statements<void> {
  const found = yield* get<{ store_id: string; schema: string }>(findMove);
  if (found === undefined) return;
  const { store_id: storeId, schema } = found;
  throw new StoreError(
    `The database contains only a part of the embedded store ${storeId}, because its move was not finished. Empty the ` +
      `database: as its owner, run DROP SCHEMA ${schema} CASCADE; CREATE SCHEMA ${schema}; or create ` +
      `the database again. Then run \`${sluice} move\` again with the DATABASE_URL of the embedded store, which is unchanged.`,
  );
}

export const moves = {
  name: "moves",
  methods: {},
  schema: new URL("schema.sql", import.meta.url),
  tables: [],
  refuse: refuseUnfinished,
} satisfies StorePart;
