// The pages of webhooks, and what recipients and webhooks show on pages of the core.

import { recipientFigures } from "../recipient/recipients.ts";
import { bad, fine } from "../../actions/upkeep/read-health.ts";
import { countEndpoints } from "../webhook/endpoints.ts";
import { dayMs } from "../../basics/duration.ts";
import { readParts } from "../../basics/paced-read.ts";
import { routeOf, routesOf } from "../../console/act-routes.ts";
import { type Html, html } from "../../console/html/html.ts";
import { formatNumber } from "../../console/html/time.ts";
import { organizationPath, showOrganization } from "../../console/page/organization.ts";
import type { Panels, Person, Route } from "../../console/page.ts";
import { recipientCreate, recipientRemove, renderRecipients } from "../recipient/noun.ts";
import { rights } from "./rows.ts";
import { renderWebhooksLink, webhookPage, webhooksPage } from "../webhook/noun.ts";

/** The Prometheus alert uses the same value (deploy/prometheus/alerts.yml). */
const behindDaysMin = 7;

export const routes: readonly Route[] = [
  routeOf(recipientCreate, showOrganization, organizationPath),
  routeOf(recipientRemove, showOrganization, organizationPath),
  ...routesOf("/console/webhooks/:id", rights["webhook.read"], webhooksPage),
  ...routesOf("/console/webhook/:id", rights["webhook.read"], webhookPage),
];

export const panels: Panels = {
  organization: async (person) => [
    person.app.viewer.may(rights["webhook.read"]) && html`<p>${renderWebhooksLink(person.id)}</p>`,
    await renderRecipients(person, person.id),
  ],
  overview: renderFailing,
  health: {
    "Recipients acknowledge changes": async (app) => {
      const { count, waitingSince, behindSince } = await readParts(recipientFigures(app));
      const since = Math.min(behindSince ?? app.now(), waitingSince ?? app.now());
      const days = Math.floor((app.now() - since) / dayMs);
      if (days >= behindDaysMin)
        return bad(`One is ${days} days behind; its organization shows it.`);
      return fine(count === 0 ? "There is none." : "None is far behind.");
    },
    "Webhooks are delivered": async (app) => {
      const { failing, disabled, key_changed: changed } = await readParts(countEndpoints(app));
      const stopped = disabled + changed;
      if (failing + stopped === 0) return fine("No endpoint fails or is disabled.");
      return bad(
        [
          failing > 0 && (failing === 1 ? "One endpoint fails." : `${failing} endpoints fail.`),
          stopped > 0 &&
            `Nothing is sent to ${stopped === 1 ? "one endpoint" : `${stopped} endpoints`}, which are disabled or have another key.`,
        ]
          .filter((text) => text !== false)
          .join(" "),
      );
    },
  },
};

/** Nothing if all of them work. */
async function renderFailing({ app }: Person): Promise<Html | undefined> {
  if (!app.viewer.may(rights["webhook.read"])) return undefined;
  const { failing, disabled, key_changed: changed } = await readParts(countEndpoints(app));
  const stopped = disabled + changed;
  if (failing + stopped === 0) return undefined;
  return html`<div class="warn">
    <dt>Webhooks that fail</dt>
    <dd>
      ${formatNumber(failing)}
      <small>${stopped > 0 && html`and ${formatNumber(stopped)} that are sent nothing`}</small>
    </dd>
  </div>`;
}
