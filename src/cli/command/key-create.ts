// `sluice key create`

import { createKey } from "../../actions/access/create-key.ts";
import { defineStoreCommand, optional, required } from "../command.ts";
import { duration, scopeList, text } from "../input/kinds.ts";
import { describeNewKey, viewNewKey } from "../output/key-view.ts";

export const keyCreate = defineStoreCommand({
  name: "key create",
  summary: "Create an API key for an organization. The key is shown only once.",
  examples: [
    "sluice key create --organization acme",
    "sluice key create --organization acme --scopes transactions:write,person:read --name nightly --expires 90d",
  ],
  rights: ["key.create"],
  options: {
    organization: required(text("ID"), "Organization that the key belongs to."),
    scopes: optional(scopeList, "Scopes of the key, separated by commas. Default: all scopes."),
    name: optional(text("NAME"), "Name that tells what the key is for."),
    expires: optional(duration, "Lifetime of the key, such as 90d. Default: it never expires."),
  },
  run: async (app, { organization, scopes, name, expires }) => {
    const created = await createKey(app, {
      organizationId: organization,
      scopes,
      name,
      lifetimeMs: expires,
    });
    return { json: viewNewKey(created), text: describeNewKey(created) };
  },
});
