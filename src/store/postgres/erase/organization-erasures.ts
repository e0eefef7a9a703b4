// How far this process has erased each organization. Kept in memory: after a restart the erasure begins again, with the
// same result.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  type ErasurePlace,
  eraseOrganizationStep,
  type OrganizationStep,
} from "../../sql/organization-erasure.ts";
import { redactPayload } from "../../redact-payload.ts";
import type { Act } from "../../store.ts";
import type { Transaction } from "../transaction.ts";

/**
 * The server has no statistics on keys (migration/statistics.ts). It would take an organization for a few rows, and read and sort
 * all of them to find the first ones.
 */
const readInOrderOfKeys = `
  SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`;

/** For statements that read the rows of an organization page by page; until the end of the transaction. */
export async function useOrderOfKeys(transaction: Transaction): Promise<void> {
  await transaction.all(readInOrderOfKeys);
}

export class OrganizationErasures {
  readonly #places = new Map<string, ErasurePlace | undefined>();

  has(deletionRequestId: string): boolean {
    return this.#places.has(deletionRequestId);
  }

  /** Also begins again. */
  begin(deletionRequestId: string): void {
    this.#places.set(deletionRequestId, undefined);
  }

  end(deletionRequestId: string): void {
    this.#places.delete(deletionRequestId);
  }

  /** Call when the step is committed. */
  reached(deletionRequestId: string, place: ErasurePlace | undefined): void {
    this.#places.set(deletionRequestId, place);
  }

  async eraseStep(
    transaction: Transaction,
    deletion: Deletion,
    { rowsMax, act }: { readonly rowsMax: number; readonly act: Act },
  ): Promise<OrganizationStep> {
    const place = this.#places.get(deletion.deletionRequestId);
    const startedAt = performance.now();
    const args = { rowsMax, place, act, redact: redactPayload };
    await useOrderOfKeys(transaction);
    const step = await transaction.perform(eraseOrganizationStep, deletion, args);
    return { ...step, workMs: performance.now() - startedAt };
  }
}
