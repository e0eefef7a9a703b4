// The import of an uploaded file while it runs and after its end, and the common parts of the pages of an uploaded
// file. The script of the console updates the progress; without the script, the page reloads.

import type { FileCheck } from "../import/check-file.ts";
import type { BusyState, RefusedRow, Upload, UploadState } from "./upload.ts";
import { titleOf } from "../../domain/record-types.ts";
import { renderButton } from "../../console/html/field.ts";
import {
  type Column,
  html,
  type Html,
  renderFacts,
  renderFigures,
  renderTable,
} from "../../console/html/html.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatBytes, formatNumber, renderTime } from "../../console/html/time.ts";
import { formatCount } from "../../basics/format-count.ts";

export function renderFile(upload: Upload): Html {
  const { fileName, bytes, organizationId, resourceType, update, receivedAt } = upload;
  return renderFacts([
    ["File", html`<bdi>${fileName}</bdi>, ${formatBytes(bytes)}`],
    ["Organization", renderOrganization(organizationId)],
    [
      "Records",
      html`${titleOf(resourceType)}, ${update ? "updates of records that exist" : "new ones"}`,
    ],
    ["Uploaded", html`${renderTime(receivedAt)}; removed after an hour`],
  ]);
}

export function renderDiscard({ uploadId }: Upload): Html {
  return renderButton("Remove the file from the server", `/console/upload/${uploadId}/discard`);
}

export function renderBusy(upload: Upload, state: BusyState): Html {
  const { step } = state;
  const path = `/console/upload/${upload.uploadId}`;
  return html`${renderFile(upload)}
    <section aria-labelledby="progress" data-progress="${path}/progress">
      <h2 id="progress">Progress</h2>
      <progress
        max="1"
        value="${(step?.share ?? 0).toFixed(3)}"
        aria-labelledby="progress"
      ></progress>
      <p data-progress-text>${describeStep(state)}</p>
      <p>
        All rows are checked first, and then imported if none would be refused. It continues when
        you leave this page. If this process ends, upload the file again and repeat the import:
        identical records are not written again.
      </p>
      ${renderButton("Stop the import", `${path}/stop`)}
    </section>`;
}

/** `41 %, 120,000 rows: 119,990 written, 7 unchanged, 3 refused`. */
export function describeStep({ name, step }: BusyState): string {
  if (step === undefined) {
    return "It waits for other imports: one of a person, and one into an organization, runs at a time.";
  }
  const { rows, share, written, unchanged, refused } = step;
  const read = `${Math.floor(share * 100)} %, ${formatCount(rows, "row")}`;
  if (name === "checking") return `Checking: ${read}, ${formatNumber(refused)} would be refused`;
  const parts = [
    `${formatNumber(written)} written`,
    `${formatNumber(unchanged)} unchanged`,
    `${formatNumber(refused)} refused`,
  ];
  return `${read}: ${parts.join(", ")}`;
}

type Ended = Extract<UploadState, { readonly name: "ended" }>;

export function renderEnded(upload: Upload, { step, failure, report }: Ended): Html {
  const { rows, written, unchanged, refused } = step;
  const done = refused === 0 ? "imported" : "read, and all rows but the refused ones were imported";
  const verdict =
    failure === undefined
      ? html`<p>The whole file was ${done}.</p>`
      : html`<p role="alert">
          The import has ended before the end of the file. ${failure} What was written stays. Upload
          the file again to repeat it: identical records are not written again.
        </p>`;
  return html`${renderFile(upload)}
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      ${verdict}
      ${renderFigures([
        ["Rows", formatNumber(rows)],
        ["Written", formatNumber(written)],
        ["Unchanged", formatNumber(unchanged)],
        ["Refused", formatNumber(refused)],
      ])}
    </section>
    ${report !== undefined && renderIgnored(report)}
    ${refused > 0 && renderRefused(upload, { refused, canDownload: report !== undefined })}
    <p><a href="/console/intake">Upload another file</a></p>
    ${renderDiscard(upload)}`;
}

export function renderIgnored({ ignoredLines }: Pick<FileCheck, "ignoredLines">): Html | false {
  return (
    ignoredLines > 0 &&
    html`<p>
      Lines that are no rows, because they are comments, delimiters only, or after the last row:
      ${formatNumber(ignoredLines)}.
    </p>`
  );
}

export function renderRepair({ uploadId }: Upload): Html {
  return html`<form
    class="filters"
    method="post"
    action="/console/upload/${uploadId}/repair"
    enctype="multipart/form-data"
  >
    <label>Repaired file, with the same columns <input type="file" name="file" required /></label>
    <button type="submit">Upload the repaired file</button>
  </form>`;
}

function renderRefused(
  upload: Upload,
  { refused, canDownload }: { readonly refused: number; readonly canDownload: boolean },
): Html {
  const { uploadId, refused: rows } = upload;
  const more = refused - rows.length;
  return html`<section aria-labelledby="refused">
    <h2 id="refused">Refused rows</h2>
    ${
      canDownload &&
      html`<p>
        <a href="/console/upload/${uploadId}/refused">Download the refused rows</a>, each with its
        reason, until the file is removed. Correct them there, and upload that file.
      </p>`
    }
    ${renderRepair(upload)} ${renderTable(columns, rows, { style: "plain" })}
    ${more > 0 && html`<p>and ${formatNumber(more)} more</p>`}
  </section>`;
}

const columns: readonly Column<RefusedRow>[] = [
  ["Row", ({ row }) => row],
  ["Line of the file", ({ line }) => line ?? "–"],
  ["Reason", ({ reason }) => html`<bdi>${reason}</bdi>`],
];
