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
  const { inspection, check, faultyCheck } = upload;
  const start = inspection?.mapping !== undefined && renderStart(upload);
  return html`${renderFile(upload)} ${check !== undefined && start}
  ${check === undefined && faultyCheck !== undefined && renderFaultyCheck(upload, faultyCheck)}
  ${unreadable !== undefined && renderUnreadable(upload, unreadable)}
  ${inspection !== undefined && renderColumns(upload, inspection)}
  ${inspection?.mapping !== undefined && renderRows(inspection)} ${check === undefined && start}
  ${renderDiscard(upload)}`;
}

function renderUnreadable({ uploadId }: Upload, unreadable: string): Html {
  return html`<p role="alert">${unreadable}</p>
    <form method="post" action="/console/upload/${uploadId}">
      ${renderLayout({ preset: "", layout: {}, detected: {} })}
      <p><button type="submit">Read the file in this layout</button></p>
    </form>`;
}

function renderLayout({
  preset,
  layout,
  detected,
}: Pick<Inspection, "preset" | "layout" | "detected">): Html {
  const given = { ...detected, ...layout };
  const inputs = layoutNames.map((name) => {
    const { meaning } = layoutParts[name];
    const value = String(given[name] ?? "");
    const input = { maxlength: 200, autocomplete: "off" } as const;
    return renderInput(meaning, name, { ...input, value: value === "\t" ? "tab" : value });
  });
  const query = new URLSearchParams({ preset });
  const values = presetNames.map((name) => [name, name] as const);
  return html`<fieldset>
    <legend>Layout of the file</legend>
    ${renderChoice("Preset, for transactions of another product", "preset", { query, values, unset: "none" })}
    ${inputs}
  </fieldset>`;
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
      ${table}
      <details>
        <summary>How the file is read, if the columns are wrong</summary>
        ${renderLayout(inspection)}
      </details>
      ${renderMore(more)}
      <p><button type="submit">Show the rows with these fields</button></p>
    </form>
  </section>`;
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

function renderRows({ rows, columns }: Inspection): Html {
  const wrong = rows.filter(({ errors }) => errors.length > 0).length;
  return html`<section aria-labelledby="rows">
    <h2 id="rows">The first rows, as they would be stored</h2>
    <p>
      ${wrong === 0 ? "None" : formatNumber(wrong)} of these first rows would be refused. Nothing is
      written yet.
    </p>
    <div class="upload-rows">${rows.map((row) => renderRow(row, columns))}</div>
  </section>`;
}

const fieldsShown = 40;

function renderRow(
  { row, records, errors }: InspectedRow,
  columns: readonly InspectedColumn[],
): Html {
  const texts = errors.slice(0, 10).map(({ field = "", message = "" }) => `${field} ${message}`);
  const faults = texts.map((text) => html`<li>${renderFault(text.trim(), columns)}</li>`);
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
    ${renderFaults(upload, check)} ${renderIgnored(check)} ${renderRepair(upload)}`;
}

function renderFaultyCheck(upload: Upload, check: FileCheck): Html {
  return html`<section aria-labelledby="faulty">
    <h2 id="faulty">What was wrong in the file that this one replaces</h2>
    ${renderFaults(upload, check)}
  </section>`;
}

const faultsShown = 50;

function renderFaults({ inspection }: Upload, { faults, places }: FileCheck): Html {
  const columns: readonly Column<FileCheck["faults"][number]>[] = [
    ["Rows", ({ rows }) => formatNumber(rows)],
    ["What is wrong", ({ error }) => renderFault(error, inspection?.columns)],
    [`First ${places}s`, ({ first }) => first.join(", ")],
  ];
  return renderTable(columns, faults.slice(0, faultsShown), { style: "plain" });
}

/** The error begins with the field; a column with another name is said with it. */
function renderFault(error: string, columns: readonly InspectedColumn[] = []): Html {
  const [field = ""] = error.split(" ");
  const { column = field } = columns.find((one) => one.field === field) ?? {};
  const name = column === field ? field : `${field} (column "${column}")`;
  return html`<bdi>${name}${error.slice(field.length)}</bdi>`;
}
