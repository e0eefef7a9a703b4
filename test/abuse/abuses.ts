// Every abuse, in the order in which a campaign runs them.

import type { Abuse } from "./abuse.ts";
import { bombs } from "./family/bombs.ts";
import { chunks } from "./family/chunks.ts";
import { commands } from "./family/commands.ts";
import { connections } from "./family/connections.ts";
import { deletions } from "./family/deletions.ts";
import { feed } from "./family/feed.ts";
import { floods } from "./family/floods.ts";
import { hardLists } from "./family/hard-lists.ts";
import { lists } from "./family/lists.ts";
import { pipelines } from "./family/pipelines.ts";
import { slowClients } from "./family/slow-clients.ts";
import { smuggling } from "./family/smuggling.ts";
import { streams } from "./family/streams.ts";
import { uploads } from "./family/uploads.ts";

const families: readonly (readonly Abuse[])[] = [
  lists,
  hardLists,
  streams,
  slowClients,
  chunks,
  bombs,
  connections,
  pipelines,
  smuggling,
  floods,
  feed,
  deletions,
  commands,
  uploads,
];

export const abuses: readonly Abuse[] = families.flat();

/** The first of every family, for a short run. */
export const someAbuses: readonly Abuse[] = families.flatMap((family) => family.slice(0, 1));

/** Throws if there is none of that name. */
export function abuseNamed(name: string): Abuse {
  const abuse = abuses.find((one) => one.name === name);
  if (abuse !== undefined) return abuse;
  throw new TypeError(
    `there is no abuse "${name}"; there are ${abuses.map((one) => one.name).join(", ")}`,
  );
}
