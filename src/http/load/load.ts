// What requests may use at once: how many an organization has under way, and the memory of their bodies. One for each
// serving process.

import { BodyBudget } from "./body-budget.ts";
import { OrganizationLoad } from "./organization-load.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: BodyBudget;
}

export function makeLoad(): Load {
  return { organizations: new OrganizationLoad(), bodies: new BodyBudget() };
}
