// Finds out before a command runs whether it will create a store, so that its user notices a wrong folder. Creates
// nothing.

import { readConfig } from "../settings/config.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { isPresent } from "../files/present.ts";
import type { Context } from "./command.ts";

/** The path of the embedded store if it does not exist; undefined if it does, and on PostgreSQL. */
export function findMissingStore({ environment }: Context): string | undefined {
  const path = sqlitePath(readConfig(environment).databaseUrl);
  return path === undefined || isPresent(path, "The store") ? undefined : path;
}
