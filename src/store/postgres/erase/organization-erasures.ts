// How far this process has erased each organization. Kept in memory: after a restart the erasure begins again, with the
// same result.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  type ErasurePlace,
  eraseOrganizationStep,
  type OrganizationStep,
} from "../../sql/organization-erasure.ts";
import type { Act } from "../../store.ts";
import type { Transaction } from "../transaction.ts";

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
    const args = { rowsMax, place, act };
    const step = await transaction.perform(eraseOrganizationStep, deletion, args);
    return { ...step, workMs: performance.now() - startedAt };
  }
}
