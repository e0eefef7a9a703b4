// Links to the pages of records and deletions. The key of a record is in the query, because ids may contain any
// character.

import type { Viewer } from "../../actions/operator/viewer.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import { organizationType } from "../../domain/deletion/organization-deletion.ts";
import { titleOf } from "../../domain/record-types.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { readText, renderHidden } from "./field.ts";
import { type Html, html } from "./html.ts";
import { renderOrganization } from "./party.ts";

type ConsolePath = `/console${string}`;

/** `more`: further parameters; undefined ones are omitted. */
export function recordPath(
  page: ConsolePath,
  key: RecordKey,
  more: Readonly<Record<string, string | undefined>> = {},
): ConsolePath {
  const given = Object.entries(more).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined;
  });
  const query = { ...keyFields(key), ...Object.fromEntries(given) };
  return `${page}?${new URLSearchParams(query).toString()}`;
}

export function renderRecordName({
  resourceType,
  resourceId,
}: Pick<RecordKey, "resourceType" | "resourceId">): Html {
  if (resourceType === organizationType)
    return html`Organization ${renderOrganization(resourceId)}`;
  return html`${titleOf(resourceType)} <bdi>${resourceId}</bdi>`;
}

/** Shows the type and the id, with a link unless the record is in the restricted store, which has no pages. */
export function renderRecordLink(key: RecordKey): Html {
  if (isRestrictedId(key.organizationId)) return renderRecordName(key);
  const path = recordPath("/console/record", key);
  return html`${titleOf(key.resourceType)} <a href="${path}"><bdi>${key.resourceId}</bdi></a>`;
}

export function keyFields({ organizationId, resourceType, resourceId }: RecordKey) {
  return { organization: organizationId, type: resourceType, id: resourceId };
}

export function renderKeyFields(key: RecordKey): readonly Html[] {
  return renderHidden(keyFields(key));
}

/** Reads the key from a query or a form; a missing part is empty. */
export function readRecordKey(given: URLSearchParams): RecordKey {
  return {
    organizationId: readText(given, "organization") ?? "",
    resourceType: given.get("type") ?? "",
    resourceId: given.get("id") ?? "",
  };
}

export function addressOf(path: ConsolePath, id: string): ConsolePath {
  return path.replace(":id", encodeURIComponent(id)) as ConsolePath;
}

export function pathTo(route: string, id: string): ConsolePath {
  return `/console/${route}/${encodeURIComponent(id)}`;
}

export function deletionPath(deletionRequestId: string): ConsolePath {
  return pathTo("deletion", deletionRequestId);
}

/** For a page that shows work in progress: the script reloads it when the state is no longer this one. */
export function renderFollowed(path: ConsolePath, state: string): Html {
  return html`<p class="note" data-progress="${path}/progress?state=${state}">
    This page shows what happens without being reloaded.
  </p>`;
}

export function renderTrailLink(key: RecordKey): Html {
  return html`<p>
    <a href="${recordPath("/console/audit", key)}">What the audit trail says of it</a>
  </p>`;
}

/** A link only for those who may read the trail. */
export function renderTrail({ viewer }: { readonly viewer: Viewer }, query = ""): Html {
  if (!viewer.may("audit.read")) return html`audit trail`;
  return html`<a href="/console/audit${query}">audit trail</a>`;
}

/** A deletion by the record that it was requested for. */
export function renderDeletionOf(
  deletion: Pick<Deletion, "deletionRequestId" | "resourceType" | "resourceId">,
): Html {
  const path = deletionPath(deletion.deletionRequestId);
  return html`<a href="${path}">${renderRecordName(deletion)}</a>`;
}

export function renderDeletionLink(deletionRequestId: string): Html {
  return html`<a href="${deletionPath(deletionRequestId)}"><code>${deletionRequestId}</code></a>`;
}
