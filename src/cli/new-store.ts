// Finds out whether there is a store, so that the user of a command that creates one notices a wrong folder.

import { isPresent } from "../files/present.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { readConfig } from "../settings/config.ts";
import type { Context } from "./command.ts";

/** The path of the embedded store if it does not exist; undefined if it does, and on PostgreSQL. */
export function findMissingStore({
  environment,
}: Pick<Context, "environment">): string | undefined {
  const path = sqlitePath(readConfig(environment).databaseUrl);
  return path === undefined || isPresent(path, "The store") ? undefined : path;
}
