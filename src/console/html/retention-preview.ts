// What retention would delete, a part at a time, with the form that previews another ceiling.

import type { PreviewPart } from "../../actions/retention/preview-retention.ts";
import type { Organization } from "../../domain/access.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import { type Html, html } from "./html.ts";
import { renderRecordLink } from "./record-link.ts";
import { formatNumber } from "./time.ts";
import { renderFacts } from "./table.ts";
import { renderInput } from "./field.ts";

export const screen = "/console/retention";

type RetentionPath = typeof screen | `${typeof screen}?${string}`;

/** The page of an organization. */
export function retentionPath(
  organizationId: string,
  more: Readonly<Record<string, string>> = {},
): RetentionPath {
  return `${screen}?${new URLSearchParams({ organization: organizationId, ...more }).toString()}`;
}

/** `asked`: a ceiling other than the organization's. */
export function renderRetentionPreview(
  organization: Organization,
  { retainDays, tally, last }: PreviewPart,
  asked: number | undefined,
): Html {
  const { organizationId } = organization;
  const days = asked === undefined ? "" : String(asked);
  return html`<section aria-labelledby="preview">
    <h2 id="preview">What retention would delete</h2>
    <form class="filters" method="get" action="${screen}">
      <input type="hidden" name="organization" value="${organizationId}" />
      ${renderInput("With a ceiling of, in days", "days", {
        inputmode: "numeric",
        value: days,
        placeholder: organization.retainDays,
      })}
      <button type="submit">Preview</button>
    </form>
    ${
      retainDays === undefined
        ? html`<p class="empty">
            There is no ceiling. Enter a number of days to see what it would delete.
          </p>`
        : renderTally(tally, retainDays)
    }
    ${
      last !== undefined &&
      html`<p>
        Records are examined in parts, in the order of their types and ids, up to
        ${last.resourceType} <bdi>${last.resourceId}</bdi> here.
        <a
          href="${retentionPath(organizationId, { days, type: last.resourceType, id: last.resourceId })}"
          >Examine the next records</a
        >
      </p>`
    }
  </section>`;
}

const dueShownMax = 20;

function renderTally({ counts, due, dueByType }: PreviewPart["tally"], retainDays: number): Html {
  const types = Object.entries(dueByType).map(([type, count]) => `${formatNumber(count)} ${type}`);
  const shown = due.slice(0, dueShownMax);
  return html`${renderFacts([
    ["Not seen for", formatDays(retainDays)],
    ["Would be deleted", types.length === 0 ? "nothing" : types.join(", ")],
    ["Kept by a hold", formatNumber(counts.held)],
    ["Kept by a floor", formatNumber(counts.floor)],
    ["Needed by later records", formatNumber(counts.needed)],
    ["Deletion is open already", formatNumber(counts.open)],
  ])}
  ${
    shown.length > 0 &&
    html`<p>The first of them:</p>
      <ul class="records">
        ${shown.map((key) => html`<li>${renderRecordLink(key)}</li>`)}
      </ul>`
  }`;
}
