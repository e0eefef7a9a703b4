// Opens a database for a command that fills its tables. Never repeats the URL, which may contain a password.

import type { BareStore } from "../sql/statement/run.ts";
import { rebuilding } from "../sql/statement/visibility.ts";
import { StoreError } from "../interface/store-error.ts";
import type { StoreOptions } from "../interface/store.ts";
import { awaitVisibleCommits, commitInTwoPhases } from "./citus.ts";
import { hasState, insufficientPrivilege } from "./failure.ts";
import { openDatabase } from "./open-database.ts";
import { sluice } from "../../basics/program-name.ts";

/** Migrates the schema, and checks nothing else. Throws StoreError. */
export async function openPostgresTarget(
  url: string,
  options: Pick<StoreOptions, "connections" | "parts">,
): Promise<BareStore> {
  const database = await openDatabase(url, options);
  return {
    perform: async (work, ...args) => {
      try {
        return await database.transaction(rebuilding, async (transaction) => {
          // On a cluster, this sees all that was committed before.
          await awaitVisibleCommits(transaction);
          await commitInTwoPhases(transaction);
          return transaction.perform(work, ...args);
        });
      } catch (error) {
        throw hasState(error, insufficientPrivilege) ? mayNotFill(error) : error;
      }
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

function mayNotFill(cause: unknown): StoreError {
  return new StoreError(
    `The role may not fill the database. Use the role that owns the tables, as for \`${sluice} migrate\`.`,
    { cause },
  );
}
