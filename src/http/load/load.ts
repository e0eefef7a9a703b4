// What requests may use at once: how many an organization has under way, the memory of their bodies, and what is rejected
// under pressure. One for each serving process.

import { BodyBudget } from "./body-budget.ts";
import { LoadShedding, type PressureProbe } from "./load-shedding.ts";
import { OrganizationLoad } from "./organization-load.ts";
import { RejectionPace } from "./rejection-pace.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: BodyBudget;
  readonly shedding: LoadShedding;
  readonly rejections: RejectionPace;
}

/** To be ended by `shedding.stop`. */
export function makeLoad(probe: PressureProbe): Load {
  const [organizations, bodies] = [new OrganizationLoad(), new BodyBudget()];
  const shedding = new LoadShedding({ probe, bodies, organizations });
  return { organizations, bodies, shedding, rejections: new RejectionPace() };
}
