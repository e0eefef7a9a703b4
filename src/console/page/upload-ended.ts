// The ended import of an uploaded file: the outcomes of its rows, and the first refused rows.

import type { RefusedRow } from "../../bulk/upload/messages.ts";
import type { Upload, UploadState } from "../../bulk/upload/upload.ts";
import { type Html, html } from "../html/html.ts";
import { type Column, renderFocusableTable } from "../html/table.ts";
import { formatNumber } from "../html/time.ts";
import { renderDiscard, renderFile } from "./upload-parts.ts";

type Ended = Extract<UploadState, { readonly name: "ended" }>;

export function renderEnded(upload: Upload, { step, failure, report }: Ended): Html {
  const { rows, written, unchanged, refused } = step;
  const verdict =
    failure === undefined
      ? html`<p>The file was imported to its end.</p>`
      : html`<p role="alert">
          The import has ended before the end of the file. ${failure} What was written stays. Upload
          the file again to repeat it: identical records are not written again.
        </p>`;
  return html`${renderFile(upload)}
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      ${verdict}
      <dl class="figures">
        ${renderFigure("Rows", rows)} ${renderFigure("Written", written)}
        ${renderFigure("Unchanged", unchanged)} ${renderFigure("Refused", refused)}
      </dl>
    </section>
    ${refused > 0 && renderRefused(upload, { refused, canDownload: report !== undefined })}
    <p><a href="/console/intake">Upload another file</a></p>
    ${renderDiscard(upload)}`;
}

function renderFigure(label: string, count: number): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${formatNumber(count)}</dd>
  </div>`;
}

function renderRefused(
  { uploadId, refused: rows }: Upload,
  { refused, canDownload }: { readonly refused: number; readonly canDownload: boolean },
): Html {
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
    ${renderFocusableTable(columns, rows, "plain")}
    ${more > 0 && html`<p>and ${formatNumber(more)} more</p>`}
  </section>`;
}

const columns: readonly Column<RefusedRow>[] = [
  ["Row", ({ row }) => row],
  ["Error", ({ code }) => code ?? "unreadable"],
  ["Reason", ({ reason }) => html`<bdi>${reason}</bdi>`],
];
