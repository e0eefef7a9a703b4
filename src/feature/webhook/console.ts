// The pages of webhooks, and what they show on pages of the core.

import { bad, fine } from "../../actions/upkeep/read-health.ts";
import { readParts } from "../../basics/paced-read.ts";
import { routesOf } from "../../console/route.ts";
import { type Figure, html } from "../../console/html/html.ts";
import { pathTo } from "../../console/html/link.ts";
import { formatNumber } from "../../console/html/time.ts";
import type { Panels, Person, Route } from "../../console/page.ts";
import { countEndpoints } from "./endpoints.ts";
import { renderWebhooksLink, webhookPage, webhooksPage } from "./noun.ts";
import { rights } from "./rows.ts";

export const routes: readonly Route[] = [
  ...routesOf("/console/webhooks/:id", rights["webhook.read"], webhooksPage),
  ...routesOf("/console/webhook/:id", rights["webhook.read"], webhookPage),
];

export const panels: Panels = {
  organization: async ({ app, id }) => [
    app.viewer.may(rights["webhook.read"]) && html`<p>${renderWebhooksLink(id)}</p>`,
  ],
  overview: renderFailing,
  health: {
    "Webhooks are delivered": async (app) => {
      const { failing, stopped } = await countFailing(app);
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

/** `stopped`: nothing is sent to them. */
async function countFailing(app: Parameters<typeof countEndpoints>[0], only?: string) {
  const { failing, disabled, key_changed: changed } = await readParts(countEndpoints(app, only));
  return { failing, stopped: disabled + changed };
}

/** Nothing if all of them work. */
async function renderFailing({ app, organization }: Person): Promise<Figure | undefined> {
  const { failing, stopped } = await countFailing(app, organization);
  if (failing + stopped === 0) return undefined;
  const path =
    organization === undefined ? "/console/organizations" : pathTo("webhooks", organization);
  const more =
    stopped > 0 && html` <small>and ${formatNumber(stopped)} that are sent nothing</small>`;
  const count = html`<a href="${path}">${formatNumber(failing)}</a>${more}`;
  return ["Webhooks that fail", count, "warn"];
}
