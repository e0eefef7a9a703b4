// What requests may use at once: how many an organization has under way, the memory of their bodies, and what is rejected
// under pressure. One for each serving process.

import { BodyBudget } from "./body-budget.ts";
import { LoadShedding, type PressureProbe } from "./load-shedding.ts";
import { OrganizationLoad } from "./organization-load.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: BodyBudget;
  readonly shedding: LoadShedding;
}

/** To be ended by `shedding.stop`. */
export function makeLoad(probe: PressureProbe): Load {
  const [organizations, bodies] = [new OrganizationLoad(), new BodyBudget()];
  return { organizations, bodies, shedding: new LoadShedding({ probe, bodies, organizations }) };
}
