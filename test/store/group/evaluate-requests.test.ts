// The evaluation of a group of requests for deletions in memory.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeletionRequest } from "../../../src/store/interface/deletion.ts";
import {
  evaluateRequests,
  type KnownDeletions,
} from "../../../src/store/group/evaluate-requests.ts";
import { RepliesOfGroup } from "../../../src/store/group/group-replies.ts";
import { keyText } from "../../../src/domain/record/record-write.ts";
import { acme, mark } from "../../conformance/scene.ts";

const key = { organizationId: acme, resourceType: "person", resourceId: "p" };

function request(deletionRequestId: string, more: Partial<DeletionRequest> = {}) {
  return {
    request: { ...key, deletionRequestId, reason: "r", dueAt: 0, ...more },
    act: { actor: "a", now: 1 },
  };
}

function known(more: Partial<KnownDeletions> = {}): KnownDeletions {
  return {
    open: new Map(),
    records: new Set([keyText(key)]),
    closedOrganizations: new Set(),
    replies: new RepliesOfGroup([]),
    ...more,
  };
}

function evaluate(requests: readonly ReturnType<typeof request>[], before: KnownDeletions) {
  const { results, opening } = evaluateRequests(requests, before);
  return {
    results: results.map((result) => (result.ok ? result.value : result.error.errorName)),
    opening: opening.map((one) => one.request.deletionRequestId),
  };
}

describe("the requests for deletions of a group", () => {
  it("open one deletion of a record, which later ones get too", () => {
    assert.deepEqual(evaluate([request("one"), request("other")], known()), {
      results: ["one", "one"],
      opening: ["one"],
    });
  });

  it("get the deletion that is open, though the record is erased already", () => {
    const before = known({ open: new Map([[keyText(key), "open"]]), records: new Set() });
    assert.deepEqual(evaluate([request("one")], before), { results: ["open"], opening: [] });
  });

  it("get nothing without a record, and an error in a closed organization", () => {
    const missing = request("one", { resourceId: "missing" });
    assert.deepEqual(evaluate([missing], known()), { results: [undefined], opening: [] });
    const before = known({ closedOrganizations: new Set([acme]) });
    const { results, opening } = evaluate([request("one")], before);
    assert.deepEqual([results, opening], [["credential_revoked"], []]);
  });

  it("get the stored outcome of their key, even of no record, and an error for another request", () => {
    const before = known();
    const missing = request("one", { resourceId: "missing", idempotency: mark("key", "request") });
    const found = request("other", { idempotency: mark("key", "request") });
    const reused = request("third", { idempotency: mark("key", "other request") });
    assert.deepEqual(evaluate([missing, found, reused], before), {
      results: [undefined, undefined, "idempotency_reused"],
      opening: [],
    });
    assert.deepEqual(
      before.replies.added.map(({ outcome }) => outcome),
      ["null"],
    );
  });
});
