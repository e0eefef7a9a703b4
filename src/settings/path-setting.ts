// Which setting determines the path of a file that can't be used, so that the reader of the error knows what to change.
// Opens no file.

import { dirname, resolve, sep } from "node:path";
import { sqlitePath } from "../files/sqlite-path.ts";
import { ConfigError, type Config, readConfig, settings, withSecrets } from "./config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the setting; undefined if none determines the path, or if the settings can't be read. */
export function findPathSetting(path: string, given: Environment): string | undefined {
  const environment = withSecrets(given);
  const config = readIfValid(given);
  if (config === undefined) return undefined;
  const isGiven = ({ name }: { readonly name: string }) => (environment[name] ?? "") !== "";
  const { receiptKeyFile, databaseUrl, dataDir } = settings;
  const store = sqlitePath(config.databaseUrl);
  if (isGiven(receiptKeyFile) && isIn(path, config.receiptKeyFile)) return receiptKeyFile.name;
  const isOfStore = store !== undefined && isIn(path, dirname(store));
  if (isOfStore && isGiven(databaseUrl)) return databaseUrl.name;
  return isOfStore || isIn(path, config.dataDir) ? dataDir.name : undefined;
}

function readIfValid(environment: Environment): Config | undefined {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function isIn(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}
