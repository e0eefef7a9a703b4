// Organizations by name, with the id small beside it. A page writes only the id: the names of the whole page are filled
// in when it is shown, also in fields for an organization, and so is the list that these offer. The same for API keys.

import { escapeHtml } from "../../basics/escape-html.ts";
import type { Organization } from "../../domain/access.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import { entriesOf } from "../../domain/organization-name.ts";
import { type Html, html, renderElement } from "./html.ts";

export function renderParty(name: string | undefined, id: string): Html {
  if (name === undefined || name === "" || name === id) return html`<bdi>${id}</bdi>`;
  return html`<bdi>${name}</bdi> <small class="id">${id}</small>`;
}

export function renderOrganization(organizationId: string | undefined): Html {
  if (organizationId === undefined) return html`–`;
  if (isRestrictedId(organizationId)) return renderParty("restricted set", organizationId);
  return html`<span data-organization="${organizationId}"><bdi>${organizationId}</bdi></span>`;
}

/** Who acted: a person or a part of the service by name, and a key with its name if that is known. */
export function renderActor(name: string): Html {
  if (!/^key_\w+$/.test(name)) return html`<bdi>${name}</bdi>`;
  return html`<span data-key="${name}"><bdi>${name}</bdi></span>`;
}

const keys = /<span data-key="(\w+)">.*?<\/span>/g;

/** `find`: the name of a key; undefined for one that is not known. */
export async function nameKeys(
  page: string,
  find: (keyId: string) => Promise<string | undefined>,
): Promise<string> {
  const ids = new Set(Array.from(page.matchAll(keys), ([, id = ""]) => id));
  const found = await Promise.all([...ids].map(async (id) => [id, await find(id)] as const));
  const names = new Map(found);
  return page.replaceAll(keys, (_marked, id: string) => renderParty(names.get(id), id).text);
}

/** The list that fields with `list="organizations"` offer; on each page once. */
export const organizationList: Html = html`<datalist id="organizations"></datalist>`;

// Values are escaped, so only the templates above can have made these.
const unnamed = /<span data-organization="([^"]*)">.*?<\/span>/g;
const asking = ' list="organizations"';
const listedMax = 100;

/** Asks `list` only if the page names an organization, or asks for one. */
export async function nameOrganizations(
  page: string,
  list: () => Promise<readonly Organization[]>,
): Promise<string> {
  const isAsking = page.includes(asking);
  if (!isAsking && page.search(unnamed) === -1) return page;
  const all = await list();
  const byId = new Map(all.map((one) => [escapeHtml(one.organizationId), one] as const));
  const named = page.replaceAll(unnamed, (marked: string, id: string) => {
    const organization = byId.get(id);
    return organization === undefined
      ? marked
      : renderParty(organization.name, organization.organizationId).text;
  });
  if (!isAsking) return named;
  const entryOf = entriesOf(all);
  const options = all
    .filter(({ closedAt }) => closedAt === undefined)
    .slice(0, listedMax)
    .map((one) => renderElement("option", { value: entryOf(one) }, one.organizationId));
  return named
    .replaceAll(/<input [^>]*>/g, (input) => {
      if (!input.includes(asking)) return input;
      return input.replace(/(?<= value=")[^"]*/, (id) => {
        const organization = byId.get(id);
        return organization === undefined ? id : escapeHtml(entryOf(organization));
      });
    })
    .replace("></datalist>", () => html`>${options}</datalist>`.text);
}
