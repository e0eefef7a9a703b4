// The forms that set the ceiling and the floors of an organization, each with its effect.

import { floorOrigins } from "../../domain/retention/floor.ts";
import { renderIdField } from "./confirmation.ts";
import { renderChoice } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { renderInput } from "./field.ts";

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
