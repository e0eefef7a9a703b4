// What recipients show on pages of the core.

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
import { listRecipients, recipientFigures } from "./recipients.ts";
import { rights } from "./rows.ts";

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
      const { count, waitingSince, behindSince } = await readParts(recipientFigures(app));
      const since = Math.min(behindSince ?? app.now(), waitingSince ?? app.now());
      const days = Math.floor((app.now() - since) / dayMs);
      if (days >= behindDaysMin)
        return bad(`One is ${days} days behind; its organization shows it.`);
      if (count === 0) return fine("There is none.");
      const late = since < app.now() - behindMsMin;
      return fine(
        late ? `One is behind since ${formatDuration(app.now() - since)}.` : "None is behind.",
      );
    },
  },
};

/** Recipients that keep up are behind for moments, too. */
const behindMsMin = 10 * 60_000;

/** Nothing if all of them keep up. */
async function renderBehind({ app, organization }: Person): Promise<Figure | undefined> {
  if (!app.viewer.may(rights["recipient.read"])) return undefined;
  const since = (await listRecipients(app, undefined))
    .filter((one) => one.organizationId === (organization ?? one.organizationId))
    .map((one) => Math.min(one.behindSince ?? Infinity, one.waitingSince ?? Infinity))
    .filter((at) => at < app.now() - behindMsMin);
  if (since.length === 0) return undefined;
  const path = pathTo("organization", organization ?? "");
  const count =
    organization === undefined ? since.length : html`<a href="${path}">${since.length}</a>`;
  const oldest = formatDuration(app.now() - Math.min(...since));
  return ["Recipients behind", html`${count} <small>one for ${oldest}</small>`, "warn"];
}
