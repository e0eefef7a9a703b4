// Finds out before a command runs whether it will create a store, so that its user notices a wrong folder. Creates nothing.

import { readConfig } from "../config.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { isPresent } from "../files/present.ts";
import type { Context } from "./command.ts";

/** The path where an embedded store is missing; undefined where there is one, and on PostgreSQL. */
export function findMissingStore({ environment }: Context): string | undefined {
  const path = sqlitePath(readConfig(environment).databaseUrl);
  return path === undefined || isPresent(path, "The store") ? undefined : path;
}
