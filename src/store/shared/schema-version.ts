// The numbers of schema versions on every engine: version 1.0 has the baseline, and each migration since adds one.

import { StoreError } from "../interface/store-error.ts";

/** The number of the schema of version 1.0; versions with lower numbers were never released. */
export const baselineVersion = 201;

/** Throws StoreError for a schema that this version can't migrate; an empty database has version 0. */
export function refuseSchema(
  version: number,
  { newest, store }: { readonly newest: number; readonly store: string },
): void {
  if (version > newest) {
    throw new StoreError(
      `${store} has schema version ${version}, and this version of Sluice knows ${newest} at most. ` +
        "Use the version of Sluice that wrote it, or a newer one.",
    );
  }
  if (version > 0 && version < baselineVersion) {
    throw new StoreError(
      `${store} has schema version ${version}, of a version of Sluice that was never released, and can't be upgraded. ` +
        "To take the data along, export the records of each type and organization with their history, with the version that " +
        "wrote it, and import these files with this one into a new store.",
    );
  }
}

/** Tables without a version are what is left of a store: part of a dump, for instance. */
export function versionIn(row: { readonly value: number } | undefined, store: string): number {
  if (row !== undefined) return row.value;
  throw new StoreError(
    `${store} has the tables of a store, but not the number of its schema, so only a part of it is there. If it was ` +
      "restored from a dump, restore all of the dump.",
  );
}
