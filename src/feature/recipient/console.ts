// What recipients show on pages of the core.

import { bad, fine } from "../../actions/upkeep/read-health.ts";
import { dayMs } from "../../basics/duration.ts";
import { readParts } from "../../basics/paced-read.ts";
import { routeOf } from "../../console/route.ts";
import { organizationPath, showOrganization } from "../../console/page/organization.ts";
import type { Panels, Route } from "../../console/page.ts";
import { recipientCreate, recipientRemove, renderRecipients } from "./noun.ts";
import { recipientFigures } from "./recipients.ts";

/** The Prometheus alert uses the same value (deploy/prometheus/alerts.yml). */
const behindDaysMin = 7;

export const routes: readonly Route[] = [
  routeOf(recipientCreate, showOrganization, organizationPath),
  routeOf(recipientRemove, showOrganization, organizationPath),
];

export const panels: Panels = {
  organization: async (person) => [await renderRecipients(person, person.id)],
  health: {
    "Recipients acknowledge changes": async (app) => {
      const { count, waitingSince, behindSince } = await readParts(recipientFigures(app));
      const since = Math.min(behindSince ?? app.now(), waitingSince ?? app.now());
      const days = Math.floor((app.now() - since) / dayMs);
      if (days >= behindDaysMin)
        return bad(`One is ${days} days behind; its organization shows it.`);
      return fine(count === 0 ? "There is none." : "None is far behind.");
    },
  },
};
