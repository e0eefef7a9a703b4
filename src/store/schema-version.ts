// The numbers of schema versions, on every engine: the baseline is what schema.sql has, and each migration counts one more.

import { StoreError } from "./store-error.ts";

/** Lower numbers are those of versions that were never released. */
export const baselineVersion = 100;

/** Throws StoreError for a schema that this version can't bring up; 0 is that of an empty database. */
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
        "Export its records with the version that wrote it, and import them into a new store.",
    );
  }
}
