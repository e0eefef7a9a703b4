// An uploaded file before its import: a row for each column with its field, then the first rows as they would be
// stored, with the errors of each.

import type { LayoutParts } from "../../bulk/formats/layout.ts";
import type { InspectedColumn, InspectedRow, Inspection } from "../../bulk/upload/inspect.ts";
import type { Upload } from "../../bulk/upload/upload.ts";
import { nounOf, recordTypeByName, titleOf } from "../../domain/record-types.ts";
import { type Html, html, renderFocusableTable } from "../html/html.ts";
import { renderDiscard, renderFile } from "./upload-import.ts";

/** `unreadable`: why the file can't be read at all. */
export function renderReady(
  upload: Upload,
  unreadable: string | undefined,
  parts: LayoutParts,
): Html {
  const { inspection } = upload;
  return html`${renderFile(upload)}
  ${unreadable !== undefined && renderUnreadable(upload, unreadable, parts)}
  ${inspection !== undefined && renderColumns(upload, inspection, parts)}
  ${inspection?.mapping !== undefined && renderRows(inspection.rows)}
  ${inspection?.mapping !== undefined && renderStart(upload, inspection)} ${renderDiscard(upload)}`;
}

function renderUnreadable({ uploadId }: Upload, unreadable: string, parts: LayoutParts): Html {
  return html`<p role="alert">${unreadable}</p>
    <form method="post" action="/console/upload/${uploadId}">
      ${renderLayout(parts, { layout: {}, detected: {} })}
      <p><button type="submit">Read the file in this layout</button></p>
    </form>`;
}

/** What the file showed is in the inputs, and can be changed. */
function renderLayout(
  parts: LayoutParts,
  { layout, detected }: Pick<Inspection, "layout" | "detected">,
): Html {
  const values = new Map<string, string | number | undefined>(
    Object.entries({ ...detected, ...layout }),
  );
  const inputs = Object.entries(parts).map(([name, { meaning }]) => {
    const value = String(values.get(name) ?? "");
    return html`<label
      >${meaning}
      <input
        name="${name}"
        value="${value === "\t" ? "tab" : value}"
        maxlength="200"
        autocomplete="off"
      />
    </label>`;
  });
  return html`<fieldset>
    <legend>Layout of the file</legend>
    ${inputs}
  </fieldset>`;
}

function renderColumns(
  { uploadId, resourceType }: Upload,
  { layout, detected, columns, more, problem }: Inspection,
  parts: LayoutParts,
): Html {
  const names = recordTypeByName(resourceType)?.fieldNames ?? [];
  const table = renderFocusableTable<InspectedColumn>(
    [
      [
        "Column",
        ({ column }) =>
          html`<bdi>${column}</bdi> <input type="hidden" name="column" value="${column}" />`,
      ],
      ["First values", ({ samples }) => samples.map((value) => html`<samp>${value}</samp> `)],
      [`Field of the ${nounOf(resourceType)}`, renderField],
      [
        "Format of a time, number or code",
        ({ column, time }) =>
          html`<input
            name="time"
            value="${time}"
            maxlength="100"
            size="12"
            autocomplete="off"
            aria-label="Format in the column ${column}"
          />`,
      ],
    ],
    columns,
    "cards upload-columns",
  );
  const left = columns.filter(({ field }) => field === "").length;
  const leftOut = `Without a field, and so not imported: ${left} of ${columns.length} columns.`;
  return html`<section aria-labelledby="columns">
    <h2 id="columns">Columns</h2>
    ${problem !== undefined && html`<p role="alert">${problem}</p>`}
    <p>${left === 0 ? "Every column has a field." : leftOut}</p>
    <form method="post" action="/console/upload/${uploadId}">
      <datalist id="fields">
        ${names.map((name) => html`<option value="${name}"></option>`)}
      </datalist>
      ${renderLayout(parts, { layout, detected })} ${table}
      <label
        >Fields that no column has, as in sluice import --map, such as status==SETTLED,tx_id=~tx-{#}
        <textarea name="more" rows="2" maxlength="8000">${more}</textarea>
      </label>
      <p><button type="submit">Show the rows with these fields</button></p>
    </form>
  </section>`;
}

function renderField({ column, field, meant }: InspectedColumn): Html {
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return html`<input
      name="field"
      list="fields"
      value="${field}"
      maxlength="200"
      autocomplete="off"
      aria-label="Field for the column ${column}"
    />${(meant !== undefined || field === "") && html`<small>not imported${hint}</small>`}`;
}

function renderRows(rows: readonly InspectedRow[]): Html {
  const wrong = rows.filter(({ errors }) => errors.length > 0).length;
  return html`<section aria-labelledby="rows">
    <h2 id="rows">The first rows, as they would be stored</h2>
    <p>
      ${wrong === 0 ? "None of them fails validation." : `${wrong} of ${rows.length} fail validation.`}
      Nothing is written yet.
    </p>
    <div class="upload-rows">${rows.map(renderRow)}</div>
  </section>`;
}

const fieldsShown = 40;

function renderRow({ row, records, errors }: InspectedRow): Html {
  const faults = errors
    .slice(0, 10)
    .map(({ field = "", message = "" }) => html`<li><code>${field}</code> ${message}</li>`);
  const shown = records.map((fields) => {
    const terms = fields.slice(0, fieldsShown).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd><bdi>${value}</bdi></dd>`,
    );
    const left = fields.length - terms.length;
    return html`<dl>${terms}</dl>
      ${left > 0 && html`<p>and ${left} more fields</p>`}`;
  });
  return html`<article class="${faults.length > 0 ? "warn" : "fine"}">
    <h3>Row ${row}</h3>
    ${
      faults.length > 0 &&
      html`<div role="alert">
        <ul>
          ${faults}
        </ul>
      </div>`
    }
    ${shown}
  </article>`;
}

function renderStart(
  { uploadId, inspectionNo, organizationId, resourceType, update }: Upload,
  { rows }: Inspection,
): Html {
  const isWrong = rows.some(({ errors }) => errors.length > 0);
  const verb = update ? "updates" : "adds";
  return html`<section class="narrow" aria-labelledby="start">
    <h2 id="start">Import</h2>
    <p>
      It ${verb} records of the type ${titleOf(resourceType)} in <bdi>${organizationId}</bdi>. Rows
      that are refused don't stop it; they are listed afterwards. It can be repeated: identical
      records are not written again.
    </p>
    ${isWrong && html`<p role="alert">Rows above fail validation, and would be refused.</p>`}
    <form method="post" action="/console/upload/${uploadId}/start">
      <input type="hidden" name="seen" value="${inspectionNo}" />
      <button type="submit" class="main">Import the file</button>
    </form>
  </section>`;
}
