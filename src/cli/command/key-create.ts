// `sluice key create`

import { createKey } from "../../actions/create-key.ts";
import { defineCommand, optional, required } from "../command.ts";
import { describeNewKey } from "../output/key-view.ts";
import { duration, scopeList, text } from "../input/kinds.ts";

export const keyCreate = defineCommand({
  name: "key create",
  summary: "Create an API key for an organization. The key is shown only once.",
  examples: [
    "sluice key create --organization acme",
    "sluice key create --organization acme --scopes transactions:write,person:read --name nightly --expires 90d",
  ],
  arguments: {},
  options: {
    organization: required(text("ID"), "Organization that the key belongs to."),
    scopes: optional(scopeList, "Scopes of the key, separated by commas. Default: all scopes."),
    name: optional(text("NAME"), "Name that tells what the key is for."),
    expires: optional(duration, "Lifetime of the key, such as 90d. Default: it never expires."),
  },
  run: (context, { organization, scopes, name, expires }) =>
    context.withApp(async (app) => {
      const { key, secret } = await createKey(app, {
        organizationId: organization,
        scopes,
        name,
        lifetimeMs: expires,
      });
      return {
        json: {
          key_id: key.keyId,
          api_key: secret,
          organization_id: key.organizationId,
          scopes: key.scopes,
        },
        text: describeNewKey(key, secret),
      };
    }),
});
