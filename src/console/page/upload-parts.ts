// Shared parts of the pages of an uploaded file: its description, and how to remove it.

import type { Upload } from "../../bulk/upload/upload.ts";
import { type Html, html } from "../html/html.ts";
import { formatBytes, renderTime } from "../html/time.ts";

export function renderFile(upload: Upload): Html {
  const { fileName, bytes, organizationId, resourceType, update, receivedAt } = upload;
  return html`<dl class="facts">
    <dt>File</dt>
    <dd><bdi>${fileName}</bdi>, ${formatBytes(bytes)}</dd>
    <dt>Organization</dt>
    <dd><bdi>${organizationId}</bdi></dd>
    <dt>Records</dt>
    <dd>${resourceType}, ${update ? "updates of records that exist" : "new ones"}</dd>
    <dt>Uploaded</dt>
    <dd>${renderTime(receivedAt)}; removed after an hour</dd>
  </dl>`;
}

export function renderDiscard({ uploadId }: Upload): Html {
  return html`<form method="post" action="/console/upload/${uploadId}/discard">
    <p><button type="submit">Remove the file from the server</button></p>
  </form>`;
}
