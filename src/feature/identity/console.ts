// The pages of rules, and the link to them on the page of an organization.

import { html } from "../../console/html/html.ts";
import { pathTo } from "../../console/html/link.ts";
import type { Panels, Route } from "../../console/page.ts";
import { routesOf } from "../../console/route.ts";
import { identitiesPage, identityPage } from "./noun.ts";

export const routes: readonly Route[] = [
  ...routesOf("/console/identities/:id", "key.read", identitiesPage),
  ...routesOf("/console/identity/:id", "key.read", identityPage),
];

export const panels: Panels = {
  organization: async ({ app, id }) =>
    app.viewer.may("key.read") &&
    html`<p><a href="${pathTo("identities", id)}">Identities of programs</a></p>`,
};
