// Evaluates the deletion requests of a group in order, in memory. The engine has already read everything that this
// needs.

import { organizationClosed } from "../../domain/deletion/organization-deletion.ts";
import type { Act } from "../interface/act.ts";
import type { DeletionRequest } from "../interface/deletion.ts";
import { keyText } from "../../domain/record/record-write.ts";
import { performOnce, type RepliesOfGroup } from "./group-replies.ts";
import { type Result, resultOf } from "./packed-outcome.ts";

export interface RequestAct {
  readonly request: DeletionRequest;
  readonly act: Act;
}

/** What is stored. `keyText` makes the keys. */
export interface KnownDeletions {
  /** The open deletion of each record. */
  readonly open: ReadonlyMap<string, string>;
  readonly records: ReadonlySet<string>;
  readonly closedOrganizations: ReadonlySet<string>;
  readonly replies: RepliesOfGroup;
}

export interface EvaluatedRequests {
  /** The id of the open deletion, new or not; undefined if there is no such record. */
  readonly results: readonly Result<string | undefined>[];
  /** The requests whose deletions have to be stored. */
  readonly opening: readonly RequestAct[];
}

export function evaluateRequests(
  requests: readonly RequestAct[],
  known: KnownDeletions,
): EvaluatedRequests {
  const opening = new Map<string, RequestAct>();
  const results = requests.map((one) =>
    resultOf(() => {
      const { organizationId, idempotency: mark } = one.request;
      if (known.closedOrganizations.has(organizationId)) throw organizationClosed();
      const marked = { organizationId, mark, now: one.act.now };
      const perform = () => evaluate(one, { known, opening });
      return performOnce(known.replies, marked, { perform, repeat: (id) => id }) ?? undefined;
    }),
  );
  return { results, opening: [...opening.values()] };
}

/**
 * An open deletion is checked first: the record disappears while the deletion is processed, but the deletion remains
 * the same.
 */
function evaluate(
  one: RequestAct,
  { known, opening }: { readonly known: KnownDeletions; opening: Map<string, RequestAct> },
): string | null {
  const key = keyText(one.request);
  const open = known.open.get(key) ?? opening.get(key)?.request.deletionRequestId;
  if (open !== undefined) return open;
  if (!known.records.has(key)) return null;
  opening.set(key, one);
  return one.request.deletionRequestId;
}
