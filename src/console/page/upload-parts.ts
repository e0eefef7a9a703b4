// Shared parts of the pages of an uploaded file: its description, and how to remove it.

import type { Upload } from "../../bulk/upload/upload.ts";
import { type Html, html } from "../html/html.ts";
import { formatBytes, renderTime } from "../html/time.ts";
import { renderFacts } from "../html/table.ts";

export function renderFile(upload: Upload): Html {
  const { fileName, bytes, organizationId, resourceType, update, receivedAt } = upload;
  return renderFacts([
    ["File", html`<bdi>${fileName}</bdi>, ${formatBytes(bytes)}`],
    ["Organization", html`<bdi>${organizationId}</bdi>`],
    ["Records", html`${resourceType}, ${update ? "updates of records that exist" : "new ones"}`],
    ["Uploaded", html`${renderTime(receivedAt)}; removed after an hour`],
  ]);
}

export function renderDiscard({ uploadId }: Upload): Html {
  return html`<form method="post" action="/console/upload/${uploadId}/discard">
    <p><button type="submit">Remove the file from the server</button></p>
  </form>`;
}
