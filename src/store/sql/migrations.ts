// The migrations since version 1.0, the same list for both engines: each brings a store from one version of the schema
// to the next. They lead to the schema of a new store (schema.sql), which is made without them.

import { baselineVersion } from "../shared/schema-version.ts";

/** In their order, in the words of schema.sql. A published migration is never edited. */
export const published: readonly string[] = [];

export const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

export const schemaVersion = baselineVersion + published.length;
