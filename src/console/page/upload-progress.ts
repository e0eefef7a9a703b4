// The running import of an uploaded file. The script of the console updates the progress; without the script, the page
// reloads.

import type { UploadStep } from "../../bulk/upload/messages.ts";
import type { Upload } from "../../bulk/upload/upload.ts";
import { type Html, html } from "../html/html.ts";
import { formatNumber } from "../html/time.ts";
import { renderFile } from "./upload-parts.ts";

export function renderImporting(upload: Upload, step: UploadStep | undefined): Html {
  const path = `/console/upload/${upload.uploadId}`;
  return html`${renderFile(upload)}
    <section aria-labelledby="progress" data-progress="${path}/progress">
      <h2 id="progress">Progress</h2>
      <progress
        max="1"
        value="${(step?.share ?? 0).toFixed(3)}"
        aria-labelledby="progress"
      ></progress>
      <p data-progress-text>${describeStep(step)}</p>
      <p>
        It goes on when you leave this page. If this process ends, upload the file again and repeat
        the import: identical records are not written again.
      </p>
      <form method="post" action="${path}/stop">
        <button type="submit">Stop the import</button>
      </form>
    </section>`;
}

/** `41 %, 120,000 rows: 119,990 written, 7 unchanged, 3 refused`. */
export function describeStep(step: UploadStep | undefined): string {
  if (step === undefined) {
    return "It waits for other imports: one of a person, and one into an organization, runs at a time.";
  }
  const { rows, share, written, unchanged, refused } = step;
  const parts = [
    `${formatNumber(written)} written`,
    `${formatNumber(unchanged)} unchanged`,
    `${formatNumber(refused)} refused`,
  ];
  return `${Math.floor(share * 100)} %, ${formatNumber(rows)} rows: ${parts.join(", ")}`;
}
