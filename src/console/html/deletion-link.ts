// Links to the pages of deletions.

import { type Html, html } from "./html.ts";

export function deletionPath(deletionRequestId: string): `/console${string}` {
  return `/console/deletion/${encodeURIComponent(deletionRequestId)}`;
}

export function renderDeletionLink(deletionRequestId: string): Html {
  return html`<a href="${deletionPath(deletionRequestId)}"><code>${deletionRequestId}</code></a>`;
}
