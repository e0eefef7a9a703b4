// The load limits of a serving process: concurrent requests per organization, the memory of their bodies, and load shedding
// under pressure.

import { BodyBudget } from "./body-budget.ts";
import { LoadShedding, type PressureProbe } from "./load-shedding.ts";
import { OrganizationLoad } from "./organization-load.ts";
import { RefusalDelays } from "./refusal-delays.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: Pick<BodyBudget, "reserve" | "heldBytes">;
  readonly shedding: LoadShedding;
  readonly refusals: RefusalDelays;
}

/** The caller must call `shedding.stop` at the end. */
export function makeLoad(probe: PressureProbe): Load {
  const [organizations, bodies] = [new OrganizationLoad(), new BodyBudget()];
  const shedding = new LoadShedding({ probe, bodies, organizations });
  return { organizations, bodies, shedding, refusals: new RefusalDelays() };
}
