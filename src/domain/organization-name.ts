// How people name an organization in a field: by its id, its name or the beginning of its name, in any case. Pure.

import type { Organization } from "./access.ts";

type Named = Pick<Organization, "organizationId" | "name" | "closedAt">;

/** The one that is meant, or several if the text does not say which: an id comes first, then a whole name. */
export function findNamed<One extends Named>(all: readonly One[], text: string): readonly One[] {
  const byId = all.find(({ organizationId }) => organizationId === text);
  if (byId !== undefined) return [byId];
  const wanted = keyOf(text);
  const byName = all.filter(({ name }) => keyOf(name).startsWith(wanted));
  const open = byName.filter(({ closedAt }) => closedAt === undefined);
  const same = byName.filter(({ name }) => keyOf(name) === wanted);
  return [same, open, byName].find(({ length }) => length === 1) ?? byName;
}

/** What a field shows and offers: the name, or the id if the name could mean another organization. */
export function entriesOf(all: readonly Named[]): (one: Named) => string {
  const ids = new Set(all.map(({ organizationId }) => organizationId));
  const byName = Map.groupBy(all, ({ name }) => keyOf(name));
  return ({ organizationId, name }) => {
    const isClear = name !== "" && !ids.has(name) && byName.get(keyOf(name))?.length === 1;
    return isClear ? name : organizationId;
  };
}

function keyOf(name: string): string {
  return name.trim().toLowerCase();
}
