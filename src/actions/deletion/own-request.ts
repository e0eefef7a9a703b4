// Whose request a deletion is, for lists and pages of those who may approve the requests of others. The store decides
// again when somebody approves.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { App } from "../app.ts";

/** Whether this person requested the deletion, or created the key that did. Asks the store once for each requester. */
export function ownRequests({ store, operator }: App): (deletion: Deletion) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async ({ approval }) => {
    if (approval === undefined) return false;
    const { requester } = approval;
    const own = known.get(requester) ?? store.proposals.isOwnRequest(requester, operator);
    known.set(requester, own);
    return own;
  };
}
