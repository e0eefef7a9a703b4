// Returns free pages to the file system, a bounded number in each call: the last pages of the file move to free ones,
// and the next checkpoint shortens the file. Does nothing in a store that was created without a pointer map; it reuses
// its free pages for later records.

import { type Connection, transaction } from "../connection.ts";

/** How many free pages of 4 KiB the file keeps for new records. */
export const freePagesKept = 1_024;
const vacuumPagesMax = 64;

/** The value of `PRAGMA auto_vacuum` for a file that supports incremental vacuum. */
const incremental = 2;

/** Some free pages remain, because a store that has grown will probably grow again. */
export function vacuumPages(connection: Connection): {
  readonly pages: number;
  readonly more: boolean;
} {
  return transaction(connection, () => {
    const mode = connection.get<{ auto_vacuum: number }>("PRAGMA auto_vacuum")?.auto_vacuum;
    const free = connection.get<{ freelist_count: number }>("PRAGMA freelist_count");
    const surplus = (free?.freelist_count ?? 0) - freePagesKept;
    if (mode !== incremental || surplus <= 0) return { pages: 0, more: false };
    const pages = Math.min(surplus, vacuumPagesMax);
    connection.exec(`PRAGMA incremental_vacuum(${pages})`);
    return { pages, more: surplus > pages };
  });
}
