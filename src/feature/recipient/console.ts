// What recipients show on pages of the core.

import type { App } from "../../actions/app.ts";
import { bad, fine } from "../../actions/upkeep/read-health.ts";
import { dayMs } from "../../basics/duration.ts";
import { readParts } from "../../basics/paced-read.ts";
import { routeOf } from "../../console/route.ts";
import { organizationPath, showOrganization } from "../../console/page/organization.ts";
import { type Figure, html } from "../../console/html/html.ts";
import { pathTo } from "../../console/html/link.ts";
import { formatDuration } from "../../console/html/time.ts";
import type { Panels, Person, Route } from "../../console/page.ts";
import { recipientCreate, recipientRemove, renderRecipients } from "./noun.ts";
import { listRecipients, type RecipientFigures, recipientFigures } from "./recipients.ts";

/** The Prometheus alert uses the same value (deploy/prometheus/alerts.yml). */
const behindDaysMin = 7;

export const routes: readonly Route[] = [
  routeOf(recipientCreate, showOrganization, organizationPath),
  routeOf(recipientRemove, showOrganization, organizationPath),
];

export const panels: Panels = {
  organization: async (person) => [await renderRecipients(person, person.id)],
  overview: renderBehind,
  health: {
    "Recipients acknowledge changes": async (app) => {
      const figures = await readParts(recipientFigures(app));
      const ms = behindMs(app, figures);
      const days = Math.floor(ms / dayMs);
      if (days >= behindDaysMin)
        return bad(`One is ${days} days behind; its organization shows it.`);
      if (figures.count === 0) return fine("There is none.");
      return fine(ms > 0 ? `One has been behind for ${formatDuration(ms)}.` : "None is behind.");
    },
  },
};

/** Recipients that keep up are behind for moments, too. */
const behindMsMin = 10 * 60_000;

/** For how long; 0 for one that keeps up. */
function behindMs(
  { now }: Pick<App, "now">,
  { behindSince = Infinity, waitingSince = Infinity }: Lag,
): number {
  const ms = now() - Math.min(behindSince, waitingSince);
  return ms > behindMsMin ? ms : 0;
}

type Lag = Partial<Pick<RecipientFigures, "behindSince" | "waitingSince">>;

/** Nothing if all of them keep up. */
async function renderBehind({ app, organization }: Person): Promise<Figure | undefined> {
  const behind = (await listRecipients(app, undefined))
    .filter((one) => one.organizationId === (organization ?? one.organizationId))
    .map((one) => behindMs(app, one))
    .filter((ms) => ms > 0);
  if (behind.length === 0) return undefined;
  const path =
    organization === undefined ? "/console/organizations" : pathTo("organization", organization);
  const longest = formatDuration(Math.max(...behind));
  const count = html`<a href="${path}">${behind.length}</a>`;
  return ["Recipients behind", html`${count} <small>one for ${longest}</small>`, "warn"];
}
