// What retention would delete, a part at a time, with the form that previews another ceiling.

import type { PreviewPart } from "../../actions/retention/preview-retention.ts";
import type { Organization } from "../../domain/access.ts";
import { floorOrigins, formatDays } from "../../domain/retention/floor.ts";
import { renderIdField } from "./confirmation.ts";
import { renderInput } from "./field.ts";
import { renderChoice } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { renderRecordLink } from "./link.ts";
import { renderFacts } from "./table.ts";
import { formatNumber } from "./time.ts";

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

// The forms that set the ceiling and the floors of an organization, each with its effect.

function renderOrganizationFields(organizationId: string): Html {
  return html`<input type="hidden" name="organization" value="${organizationId}" />
    ${renderIdField("organization")}`;
}

export function renderCeilingForm(organizationId: string, days: number | undefined): Html {
  return html`<section class="danger" aria-labelledby="ceiling">
    <h2 id="ceiling">Set the ceiling</h2>
    <p>
      Deletions of all records that were last seen longer ago are requested within a minute, and
      then continually; they begin after the grace period of the organization. Without a number
      there is no ceiling, and records are kept. Preview a number above first. Type the id of the
      organization to confirm.
    </p>
    <form method="post" action="/console/retention/ceiling">
      ${renderInput("Days", "days", { inputmode: "numeric", value: days })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the ceiling</button>
    </form>
  </section>`;
}

export function renderFloorForm(organizationId: string, types: readonly string[]): Html {
  const query = new URLSearchParams();
  const [usual, ...others] = floorOrigins;
  return html`<section class="danger" aria-labelledby="floor">
    <h2 id="floor">Set or remove a floor</h2>
    <p>
      No deletion erases a record of the type before the time has passed; one that would, waits.
      Without a number the floor is removed, and deletions that waited only for it begin within
      seconds; so they do if the new floor is shorter. Type the id of the organization to confirm.
    </p>
    <form method="post" action="/console/retention/floor">
      ${renderChoice("Record type", "type", {
        query,
        values: types.map((type) => [type, type]),
        unset: "choose one",
      })}
      ${renderInput("Days", "days", { inputmode: "numeric" })}
      ${renderChoice("Counted from", "from", {
        query,
        values: others.map((origin) => [origin, origin]),
        unset: usual,
      })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the floor</button>
    </form>
  </section>`;
}
