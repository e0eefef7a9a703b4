// The intake page: what features show of it.

import { html } from "../html/html.ts";
import { type Next, type Person, readPanels } from "../page.ts";

export async function showIntake(person: Person): Promise<Next> {
  const parts = await readPanels(person, ({ intake }) => intake);
  // Those of the last features first: they use what the others show.
  return { title: "Intake", screen: "/console/intake", body: html`${parts.toReversed()}` };
}
