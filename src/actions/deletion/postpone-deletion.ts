// Postpones a deletion that fails, longer each time, and says why to operators.

import { backOffMs } from "../../basics/back-off.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { AppError } from "../../domain/error.ts";
import type { StoreError } from "../../store/interface/store-error.ts";
import type { App } from "../app.ts";

/** The longest back-off of a deletion that fails, and of the worker. */
export const deletionBackOffMsMax = 5 * 60_000;

export async function postpone(
  app: App,
  { deletion, cause }: { readonly deletion: Deletion; readonly cause: unknown },
  stopping: AbortSignal,
): Promise<void> {
  await app.store.postponeDeletion(
    deletion.deletionRequestId,
    stopping.aborted ? "the service stopped" : describeCause(cause),
    app.now() + (stopping.aborted ? 0 : backOffMs(deletion.attempts, 1_000, deletionBackOffMsMax)),
  );
}

/** True if the cause ends by itself, such as a reader of the store, so that nobody has to act on it. */
export function isTemporary(cause: unknown): boolean {
  return cause instanceof Error && (cause as Partial<StoreError>).isTemporary === true;
}

/** The store's error rather than the API's; other properties than name and message may contain values of a row. */
export function describeCause(error: unknown): string {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : "not an error";
}
