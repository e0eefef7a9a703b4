// What the writes of one transaction share: the connection, the next arrival numbers, and what restricts the writes of
// an organization. Lives as long as the transaction.

import {
  refusalOf,
  type WriteRestriction,
} from "../../../domain/deletion/organization-deletion.ts";
import type { AppError } from "../../../domain/error.ts";
import type { Connection } from "../connection.ts";

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;
const writeArrival = `UPDATE counter SET value = ? WHERE name = 'arrival'`;
const readRestriction = `
  SELECT closed_at, coalesce(writes_paused_until, 0) AS writes_paused_until, EXISTS (
    SELECT 1 FROM deletion INDEXED BY deletion_open
    WHERE organization_id = ?1 AND status IN ('pending', 'processing')) AS deletionOpen
  FROM (SELECT 1) LEFT JOIN organization ON organization_id = ?1`;

interface Restriction extends WriteRestriction {
  readonly deletionOpen: number;
}

interface OfOrganization {
  readonly organizationId: string;
  readonly receivedAt: number;
}

export class Group {
  readonly connection: Connection;
  #arrival: number | undefined;
  readonly #restrictions = new Map<string, Restriction>();

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * The first of consecutive numbers, or with 0 the next one. A group reads and writes the counter once; numbers of a
   * rollback stay unused.
   */
  takeArrivalNos(count: number): number {
    this.#arrival ??= this.connection.get<{ value: number }>(readArrival)?.value ?? 0;
    const first = this.#arrival + 1;
    this.#arrival += count;
    return first;
  }

  /** One cheap query for each organization of a group nearly always replaces one for every write. */
  anyDeletionOpen(organizationId: string): boolean {
    return this.#restrictionOf(organizationId).deletionOpen === 1;
  }

  /** Why all writes of the organization are refused. */
  refusalOf({ organizationId, receivedAt }: OfOrganization): AppError | undefined {
    return refusalOf(this.#restrictionOf(organizationId), receivedAt);
  }

  /** Call after anything that may open or end a deletion, or close an organization. */
  deletionsChanged(): void {
    this.#restrictions.clear();
  }

  /** The statement has one row for any organization. */
  #restrictionOf(organizationId: string): Restriction {
    const known =
      this.#restrictions.get(organizationId) ??
      this.connection.get<Restriction>(readRestriction, organizationId);
    if (known === undefined) throw new TypeError("an organization has no restriction");
    this.#restrictions.set(organizationId, known);
    return known;
  }

  /** Call before statements that take numbers themselves, and directly before the commit. */
  storeArrival(): void {
    if (this.#arrival !== undefined) this.connection.run(writeArrival, this.#arrival);
    this.#arrival = undefined;
  }
}
