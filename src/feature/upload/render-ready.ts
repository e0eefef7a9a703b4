// An uploaded file before its import: a row for each column with its field, then the first rows as they would be
// stored, with the errors of each, and once all rows were checked, what is wrong with them.

import { layoutNames, layoutParts } from "../csv/layout.ts";
import type { FileCheck } from "../import/check-file.ts";
import { presetNames } from "../import/map/mapping.ts";
import type { InspectedColumn, InspectedRow, Inspection } from "./inspect.ts";
import type { Upload } from "./upload.ts";
import { nounOf, recordTypeByName, titleOf } from "../../domain/record-types.ts";
import { renderChoice } from "../../console/html/filter.ts";
import { type Column, html, type Html, renderTable } from "../../console/html/html.ts";
import { renderOrganization } from "../../console/html/party.ts";
import { formatNumber } from "../../console/html/time.ts";
import { renderDiscard, renderFile, renderIgnored, renderRepair } from "./render-import.ts";
import { renderButton, renderHidden, renderInput } from "../../console/html/field.ts";

export function renderReady(upload: Upload, unreadable: string | undefined): Html {
  const { inspection, check } = upload;
  const start = inspection?.mapping !== undefined && renderStart(upload);
  return html`${renderFile(upload)} ${check !== undefined && start}
  ${unreadable !== undefined && renderUnreadable(upload, unreadable)}
  ${inspection !== undefined && renderColumns(upload, inspection)}
  ${inspection?.mapping !== undefined && renderRows(inspection.rows)}
  ${check === undefined && start} ${renderDiscard(upload)}`;
}

function renderUnreadable({ uploadId }: Upload, unreadable: string): Html {
  return html`<p role="alert">${unreadable}</p>
    <form method="post" action="/console/upload/${uploadId}">
      ${renderLayout({ preset: "", layout: {}, detected: {} })}
      <p><button type="submit">Read the file in this layout</button></p>
    </form>`;
}

function renderLayout(
  { preset, layout, detected }: Pick<Inspection, "preset" | "layout" | "detected">,
  { folded = false }: { readonly folded?: boolean } = {},
): Html {
  const given = { ...detected, ...layout };
  const inputs = layoutNames.map((name) => {
    const { meaning } = layoutParts[name];
    const value = String(given[name] ?? "");
    const input = { maxlength: 200, autocomplete: "off" } as const;
    return renderInput(meaning, name, { ...input, value: value === "\t" ? "tab" : value });
  });
  const query = new URLSearchParams({ preset });
  const values = presetNames.map((name) => [name, name] as const);
  const fields = html`<fieldset>
    <legend>Layout of the file</legend>
    ${renderChoice("Preset, for transactions of another product", "preset", { query, values, unset: "none" })}
    ${inputs}
  </fieldset>`;
  if (!folded) return fields;
  return html`<details>
    <summary>How the file is read, if the columns are wrong</summary>
    ${fields}
  </details>`;
}

function renderColumns({ uploadId, resourceType }: Upload, inspection: Inspection): Html {
  const { preset, columns, more, problem } = inspection;
  const names = recordTypeByName(resourceType)?.fieldNames ?? [];
  const table = renderTable<InspectedColumn>(
    [
      ["Column", ({ column }) => html`<bdi>${column}</bdi> ${renderHidden({ column })}`],
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
    { style: "cards upload-columns" },
  );
  const left = columns.filter(({ field, isInPreset }) => field === "" && !isInPreset).length;
  const leftOut = `Without a field, and so not imported: ${left} of ${columns.length} columns.`;
  return html`<section aria-labelledby="columns">
    <h2 id="columns">Columns</h2>
    ${problem !== undefined && html`<p role="alert">${problem}</p>`}
    <p>
      ${left === 0 ? "Every column has a field." : leftOut}
      ${preset !== "" && html`Fields that are not given here are those of the preset ${preset}.`}
    </p>
    <form method="post" action="/console/upload/${uploadId}">
      <datalist id="fields">
        ${names.map((name) => html`<option value="${name}"></option>`)}
      </datalist>
      ${table} ${renderLayout(inspection, { folded: !isChosen(inspection) })} ${renderMore(more)}
      <p><button type="submit">Show the rows with these fields</button></p>
    </form>
  </section>`;
}

/** Whether somebody has said how to read the file. */
function isChosen({ preset, layout }: Inspection): boolean {
  return preset !== "" || Object.keys(layout).length > 0;
}

function renderMore(more: string): Html {
  const field = html`<label
    >Each with its value, or with a text in which {#} is the number of the row, such as
    status==SETTLED,tx_id=~tx-{#}; or the text of a mapping file
    <textarea name="more" rows="2" maxlength="8000">${more}</textarea>
  </label>`;
  if (more !== "") return field;
  return html`<details>
    <summary>Fields that no column has</summary>
    ${field}
  </details>`;
}

function renderField({ column, field, meant, isInPreset }: InspectedColumn): Html {
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  const isLeft = meant !== undefined || field === "";
  return html`<input
      name="field"
      list="fields"
      value="${field}"
      maxlength="200"
      autocomplete="off"
      aria-label="Field for the column ${column}"
    />${isLeft && html`<small>${isInPreset ? "by the preset" : `not imported${hint}`}</small>`}`;
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

function renderStart(upload: Upload): Html {
  const { uploadId, inspectionNo, organizationId, resourceType, update, check } = upload;
  const verb = update ? "updates" : "adds";
  return html`<section class="narrow" aria-labelledby="start">
    <h2 id="start">Import</h2>
    <p>
      It ${verb} records of the type ${titleOf(resourceType)} in
      ${renderOrganization(organizationId)}. All rows are checked before the first is written. It
      can be repeated: identical records are not written again.
    </p>
    ${check !== undefined && renderCheck(upload, check)}
    ${renderButton(check === undefined ? "Import the file" : "Import the other rows", `/console/upload/${uploadId}/start`, { fields: { seen: inspectionNo }, main: true })}
  </section>`;
}

function renderCheck(upload: Upload, check: FileCheck): Html {
  return html`<p role="alert">
      ${formatNumber(check.refused)} of ${formatNumber(check.rows)} rows would be refused. Nothing
      is written yet. Change the mapping below, upload a repaired file, or import the other rows.
    </p>
    ${renderTable(faultColumns(check), check.faults.slice(0, faultsShown), { style: "plain" })}
    ${renderIgnored(check)} ${renderRepair(upload)}`;
}

const faultsShown = 50;
const faultColumns = ({ places }: FileCheck): readonly Column<FileCheck["faults"][number]>[] => [
  ["Rows", ({ rows }) => formatNumber(rows)],
  ["What is wrong", ({ error }) => html`<bdi>${error}</bdi>`],
  [`First ${places}s`, ({ first }) => first.join(", ")],
];
